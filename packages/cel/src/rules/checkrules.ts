import { compile, type Declarations } from '../program/celprogram.ts'
import {
  type CelSchema,
  type Declared,
  declared,
  optionally,
  type ValidationRule,
} from '../program/celschema.ts'
import { detailOf } from '../syntax/celproblem.ts'
import {
  childCount,
  costMessage,
  type Expense,
  mostExpensive,
  RULE_LIMIT,
  SCHEMA_LIMIT,
  totalCost,
} from './totalcost.ts'

type RulePath = readonly (string | number)[]

/** What is wrong with a rule of a schema; the path is of the schema, to the rule or its message expression. */
export interface RuleProblem {
  readonly kind: 'invalid' | 'forbidden' | 'internal'
  readonly path: RulePath
  readonly message: string
  /** The value that is wrong; absent: the rule as a whole. */
  readonly value?: string | boolean
}

export interface CheckOptions {
  /** Whether a part of the schema has other problems: its rules are not looked at before those are solved. */
  readonly isUnsound?: (path: RulePath) => boolean
  /** The schema was accepted as it is: no rule of it costs too much, taken for itself. */
  readonly isStored?: boolean
}

interface RuleWalk extends CheckOptions {
  readonly problems: RuleProblem[]
  readonly expenses: Expense[]
}

/** Where a part of a schema is. */
interface SchemaLocation {
  readonly path: RulePath
  /** How many values of it there can be in one object. */
  readonly count: bigint | undefined
  /** The list above it whose old items are not known for its new ones. */
  readonly unmatched?: RulePath
}

/** The sum over all rules, in the words of the API server. */
const ALL = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
const CONTRIBUTED =
  'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'

/** `properties[spec].items.x-kubernetes-validations[0].rule`, as the API server writes a path. */
export function pathText(path: RulePath, base = ''): string {
  return path.reduce<string>((text, step, i) => {
    const inBrackets = typeof step === 'number' || path[i - 1] === 'properties'
    return inBrackets ? `${text}[${step}]` : text === '' ? String(step) : `${text}.${step}`
  }, base)
}

/**
 * Compiles the `x-kubernetes-validations` of a structural schema and estimates them: rules that do not compile or could
 * cost too much are refused when the schema is created, and not when an object is. `base` is the path of the schema.
 */
export function checkRules(schema: CelSchema, base = '', options: CheckOptions = {}): readonly RuleProblem[] {
  const w: RuleWalk = { problems: [], expenses: [], ...options }
  walk(w, schema, { path: [], count: 1n }, base, true)
  const total = w.expenses.reduce((sum, e) => sum + e.cost, 0n)
  if (total <= SCHEMA_LIMIT) return w.problems
  const named = mostExpensive(w.expenses).map(({ path }) => forbidden(path, CONTRIBUTED))
  return [...w.problems, ...named, forbidden([], costMessage(ALL, total, SCHEMA_LIMIT))]
}

const forbidden = (path: RulePath, message: string): RuleProblem => ({ kind: 'forbidden', path, message })

function walk(w: RuleWalk, schema: CelSchema, at: SchemaLocation, base: string, isRoot: boolean): void {
  const count = childCount(at.count, schema)
  const below = (...steps: RulePath): SchemaLocation => ({ ...at, path: [...at.path, ...steps], count })
  const { additionalProperties: values, properties = {}, items } = schema
  if (typeof values === 'object') walk(w, values, below('additionalProperties'), base, false)
  for (const [name, s] of Object.entries(properties)) walk(w, s, below('properties', name), base, false)
  const isMatched = schema['x-kubernetes-list-type'] === 'map'
  const list = isMatched ? below('items') : { ...below('items'), unmatched: at.path }
  if (items) walk(w, items, list, base, false)
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0 || w.isUnsound?.(at.path)) return
  const self = declared(schema, 'self', isRoot || schema['x-kubernetes-embedded-resource'])
  if (!self) {
    w.problems.push({
      kind: 'internal',
      path: [...at.path, 'x-kubernetes-validations'],
      message: UNTYPED,
    })
    return
  }
  for (const [i, rule] of rules.entries())
    checkRule(w, rule, self, { ...at, path: [...at.path, 'x-kubernetes-validations', i] }, base)
}

const UNTYPED =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'

function checkRule(
  w: RuleWalk,
  rule: ValidationRule,
  self: Declared,
  place: SchemaLocation,
  base: string,
): void {
  const { path, count } = place
  const declarations = { self, oldSelf: rule.optionalOldSelf ? optionally(self) : self }
  const at = [...path, 'rule']
  const checked = checkExpression(w, rule.rule, declarations, 'bool', at, '')
  if (checked !== undefined) {
    const cost = totalCost(checked.cost, count, self.least)
    if (cost > RULE_LIMIT && !w.isStored)
      w.problems.push(forbidden(at, costMessage('estimated rule cost', cost, RULE_LIMIT)))
    w.expenses.push({ path: at, cost })
    checkMessage(w, rule, declarations, [...path, 'messageExpression'])
  }
  checkOldSelf(w, rule, checked?.usesOld === true, place, base)
}

function checkMessage(w: RuleWalk, rule: ValidationRule, declarations: Declarations, at: RulePath): void {
  if (rule.messageExpression === undefined || rule.messageExpression === '') return
  const checked = checkExpression(w, rule.messageExpression, declarations, 'string', at, 'messageExpression ')
  if (checked === undefined) return
  if (checked.cost > RULE_LIMIT && !w.isStored)
    w.problems.push(forbidden(at, costMessage('estimated messageExpression cost', checked.cost, RULE_LIMIT)))
  w.expenses.push({ path: at, cost: checked.cost })
}

/** A rule on a change needs to know which old value became which new one. */
function checkOldSelf(
  w: RuleWalk,
  rule: ValidationRule,
  usesOld: boolean,
  at: SchemaLocation,
  base: string,
): void {
  if (usesOld && at.unmatched)
    w.problems.push({
      kind: 'invalid',
      path: [...at.path, 'rule'],
      value: rule.rule,
      message: `oldSelf cannot be used on the uncorrelatable portion of the schema within ${pathText(at.unmatched, base)}`,
    })
  if (!usesOld && rule.optionalOldSelf !== undefined)
    w.problems.push({
      kind: 'invalid',
      path: [...at.path, 'optionalOldSelf'],
      value: rule.optionalOldSelf,
      message: 'may not be set if oldSelf is not used in rule',
    })
}

/** The most that one evaluation costs; undefined where the expression is wrong, which is reported. */
function checkExpression(
  w: RuleWalk,
  text: string,
  declarations: Declarations,
  type: 'bool' | 'string',
  path: RulePath,
  what: string,
): { cost: bigint; usesOld: boolean } | undefined {
  const program = compile(text, declarations)
  if (program.ok && program.value.type === type)
    return { cost: program.value.estimate().max, usesOld: program.value.reads.has('oldSelf') }
  const wrongType = `${what === '' ? 'cel expression' : 'messageExpression'} must evaluate to a ${type}`
  const message = program.ok
    ? wrongType
    : what + detailOf(text, program.error).replace(what && /^program /, '')
  w.problems.push({ kind: 'invalid', path, message })
  return undefined
}
