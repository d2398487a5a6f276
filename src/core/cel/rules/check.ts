import { detailOf } from '../problem.ts'
import { compile, type Declarations } from '../program.ts'
import { type CelSchema, type Declared, declared, optionally, type Rule } from '../schema.ts'
import {
  childCount,
  costMessage,
  type Expense,
  mostExpensive,
  RULE_LIMIT,
  SCHEMA_LIMIT,
  totalCost,
} from './cost.ts'

type Path = readonly (string | number)[]

/** What is wrong with a rule of a schema; the path is of the schema, to the rule or its message expression. */
export interface RuleProblem {
  readonly kind: 'invalid' | 'forbidden'
  readonly path: Path
  readonly message: string
}

interface Walk {
  readonly problems: RuleProblem[]
  readonly expenses: Expense[]
}

/** The sum over all rules, in the words of the API server. */
const ALL = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
const CONTRIBUTED =
  'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'

/**
 * Compiles the `x-kubernetes-validations` of a structural schema and estimates them: rules that do not compile or could
 * cost too much are refused when the schema is created, and not when an object is.
 */
export function checkRules(schema: CelSchema): readonly RuleProblem[] {
  const w: Walk = { problems: [], expenses: [] }
  walk(w, schema, [], 1n, true)
  const total = w.expenses.reduce((sum, e) => sum + e.cost, 0n)
  if (total <= SCHEMA_LIMIT) return w.problems
  const named = mostExpensive(w.expenses).map(({ path }) => forbidden(path, CONTRIBUTED))
  return [...w.problems, ...named, forbidden([], costMessage(ALL, total, SCHEMA_LIMIT))]
}

const forbidden = (path: Path, message: string): RuleProblem => ({ kind: 'forbidden', path, message })

function walk(w: Walk, schema: CelSchema, path: Path, count: bigint | undefined, isRoot: boolean): void {
  const inner = childCount(count, schema)
  const { additionalProperties: values, properties = {}, items } = schema
  if (typeof values === 'object') walk(w, values, [...path, 'additionalProperties'], inner, false)
  for (const [name, s] of Object.entries(properties)) walk(w, s, [...path, 'properties', name], inner, false)
  if (items) walk(w, items, [...path, 'items'], inner, false)
  const rules = schema['x-kubernetes-validations'] ?? []
  const self =
    rules.length > 0
      ? declared(schema, 'self', isRoot || schema['x-kubernetes-embedded-resource'])
      : undefined
  if (!self) return
  for (const [i, rule] of rules.entries())
    checkRule(w, rule, self, [...path, 'x-kubernetes-validations', i], count)
}

function checkRule(w: Walk, rule: Rule, self: Declared, path: Path, count: bigint | undefined): void {
  const declarations = { self, oldSelf: rule.optionalOldSelf ? optionally(self) : self }
  const at = [...path, 'rule']
  const once = costOf(w, rule.rule, declarations, 'bool', at, '')
  if (once === undefined) return
  const cost = totalCost(once, count, self.least)
  if (cost > RULE_LIMIT) w.problems.push(forbidden(at, costMessage('estimated rule cost', cost, RULE_LIMIT)))
  w.expenses.push({ path: at, cost })
  if (rule.messageExpression === undefined) return
  const text = [...path, 'messageExpression']
  const message = costOf(w, rule.messageExpression, declarations, 'string', text, 'messageExpression ')
  if (message === undefined) return
  if (message > RULE_LIMIT)
    w.problems.push(forbidden(text, costMessage('estimated messageExpression cost', message, RULE_LIMIT)))
  w.expenses.push({ path: text, cost: message })
}

/** The most that one evaluation costs; undefined where the expression is wrong, which is reported. */
function costOf(
  w: Walk,
  text: string,
  declarations: Declarations,
  type: 'bool' | 'string',
  path: Path,
  what: string,
): bigint | undefined {
  const program = compile(text, declarations)
  if (program.ok && program.value.type === type) return program.value.estimate().max
  const wrongType = `${what === '' ? 'cel expression' : 'messageExpression'} must evaluate to a ${type}`
  const message = program.ok ? wrongType : `${what}${detailOf(text, program.error)}`
  w.problems.push({ kind: 'invalid', path, message })
  return undefined
}
