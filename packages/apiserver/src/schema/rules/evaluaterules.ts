import { type CelProgram, freshBudget, fromJson, type ValidationRule } from '@lockstep/cel/program'
import { type CelValue, none, some } from '@lockstep/cel/value'
import { goQuote } from '@lockstep/kube/fields'
import { isArray, isObject, type JsonValue, member } from '@lockstep/kube/object'
import { type Correlated, oldItems } from '../correlate.ts'
import { duplicate, forbidden, invalid, required, withoutValue } from '../invalidfield.ts'
import type { FieldError } from '../schematypes.ts'
import type { CompiledRule, RuleNode } from './rulenode.ts'

export interface RuleChange {
  readonly old?: JsonValue
  /** Parts that are as they were: what was wrong with them is only warned of. */
  readonly before?: Correlated
  readonly warn?: (text: string) => void
  /** Of the value. */
  readonly path?: string
}

/**
 * Evaluates the rules of a schema on a value (apiextensions-apiserver `schema/cel`, Validator): from the outside in, until
 * the budget of the request is spent. Rules that need an old value run where there is one.
 */
export function evaluateRules(node: RuleNode, value: JsonValue, change: RuleChange): readonly FieldError[] {
  const run = new RuleRun(change.warn)
  run.visit(node, { path: change.path, value, old: change.old, node: change.before })
  return run.found
}

/** A value, what it replaces, and how the two are compared. */
interface RuleLocation {
  readonly path: string | undefined
  readonly value: JsonValue
  readonly old: JsonValue | undefined
  readonly node: Correlated | undefined
  /** Where the value itself cannot be compared: the nearest one around it that can. */
  readonly around?: Correlated
}

const OUT_OF_BUDGET =
  'validation failed due to running out of cost budget, no further validation rules will be run'
const LONGEST_MESSAGE = 5 * 1024

class RuleRun {
  readonly found: FieldError[] = []
  private readonly budget = freshBudget()
  private readonly warn: ((text: string) => void) | undefined

  constructor(warn: ((text: string) => void) | undefined) {
    this.warn = warn
  }

  /** Whether to go on: nothing is evaluated any more once the budget is spent. */
  visit(node: RuleNode, at: RuleLocation): boolean {
    if (at.value === null) return true
    if (!this.evaluate(node, at)) return false
    if (isArray(at.value)) return this.visitItems(node, at, at.value)
    if (!isObject(at.value)) return true
    for (const name of Object.keys(at.value)) {
      const value = member(at.value, name)
      if (value === undefined) continue
      const own = node.fields.get(name)
      const sub = own ?? node.values
      if (!sub) continue
      const path = own ? (at.path === undefined ? name : `${at.path}.${name}`) : `${at.path}[${name}]`
      if (!this.visit(sub, { path, value, old: member(at.old, name), ...stepTo(at, name) })) return false
    }
    return true
  }

  private visitItems(node: RuleNode, at: RuleLocation, list: readonly JsonValue[]): boolean {
    if (!node.items) return true
    const oldOf = oldItems(node.schema, at.old)
    for (const [i, value] of list.entries()) {
      const step = at.node
        ? { node: at.node.index(i), around: at.node }
        : { node: undefined, around: at.around }
      if (!this.visit(node.items, { path: `${at.path ?? ''}[${i}]`, value, old: oldOf?.(value), ...step }))
        return false
    }
    return true
  }

  private evaluate(node: RuleNode, at: RuleLocation): boolean {
    if (node.rules.length === 0) return true
    if (this.budget.left <= 0) return this.end(node, at, OUT_OF_BUDGET)
    const old = at.old ?? undefined
    const self = fromJson(at.value, node.self)
    const bindings: { [name: string]: CelValue } = { self }
    const ofOptional = { self, oldSelf: none as CelValue }
    if (old !== undefined && node.rules.some((r) => r.usesOld)) {
      bindings.oldSelf = fromJson(old, node.self)
      ofOptional.oldSelf = some(bindings.oldSelf)
    }
    for (const rule of node.rules) {
      if (rule.usesOld && old === undefined && !rule.rule.optionalOldSelf) continue
      if (!this.check(rule, node, at, rule.rule.optionalOldSelf ? ofOptional : bindings, bindings))
        return false
    }
    return true
  }

  private check(
    r: CompiledRule,
    node: RuleNode,
    at: RuleLocation,
    bindings: Readonly<Record<string, CelValue>>,
    ofMessage: Readonly<Record<string, CelValue>>,
  ): boolean {
    const type = node.schema.type ?? ''
    if (typeof r.program === 'string') {
      this.found.push(invalid(at.path ?? '<nil>', type, `rule compile error: ${r.program}`))
      return true
    }
    const result = r.program.evaluate(bindings, this.budget)
    if (result.ok && result.value === true) return true
    const text = (r.rule.message || r.rule.rule).trim()
    if (!result.ok) {
      const { kind, message } = result.error
      if (kind === 'budget') return this.end(node, at, message)
      if (kind === 'call')
        return this.end(
          node,
          at,
          `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`,
        )
      const detail = message.startsWith('no such overload')
        ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${text}`
        : `${message} evaluating rule: ${text}`
      this.found.push(invalid(at.path ?? '<nil>', type, detail))
      return true
    }
    return this.refuse(r, node, at, ofMessage)
  }

  private refuse(
    r: CompiledRule,
    node: RuleNode,
    at: RuleLocation,
    bindings: Readonly<Record<string, CelValue>>,
  ): boolean {
    const path = r.field === undefined ? at.path : at.path === undefined ? r.field : `${at.path}.${r.field}`
    const isRatcheted = !r.usesOld && (at.node ? at.node.isSame : at.around?.isSame === true)
    const add = (e: FieldError): void => {
      if (isRatcheted) this.warn?.(`${e.field}: ${e.message}`)
      else this.found.push(e)
    }
    const made = r.message && this.messageOf(r.message, r.rule, bindings)
    if (made?.stop !== undefined) {
      add(invalid(path ?? '<nil>', node.schema.type ?? '', made.stop))
      return false
    }
    const said = made?.text ?? (r.rule.message ? r.rule.message.trim() : `failed rule: ${r.rule.rule.trim()}`)
    add(finding(r.rule.reason, path ?? '<nil>', node.schema, at.value, said))
    return true
  }

  /** The text of a message expression; neither if there is none, and `stop` if it ends everything. */
  private messageOf(
    program: CelProgram,
    rule: ValidationRule,
    bindings: Readonly<Record<string, CelValue>>,
  ): { readonly text?: string; readonly stop?: string } {
    const result = program.evaluate(bindings, this.budget)
    if (result.ok) return { text: usable(result.value) }
    if (result.error.kind === 'budget')
      return {
        stop: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      }
    if (result.error.kind === 'error') return {}
    return {
      stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(rule.messageExpression ?? '')}`,
    }
  }

  private end(node: RuleNode, at: RuleLocation, detail: string): false {
    this.found.push(invalid(at.path ?? '<nil>', node.schema.type ?? '', detail))
    return false
  }
}

/** The version and kind of an object are not compared: both are in the version asked for. */
function stepTo(at: RuleLocation, name: string): Pick<RuleLocation, 'node' | 'around'> {
  if (!at.node) return { node: undefined, around: at.around }
  if (!at.around && (name === 'apiVersion' || name === 'kind')) return { node: undefined }
  return { node: at.node.key(name), around: at.node }
}

function usable(value: CelValue): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const isGood = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= LONGEST_MESSAGE
  return isGood ? text : undefined
}

/** Objects and lists are too large to be shown. */
function finding(
  reason: string | undefined,
  path: string,
  { type }: RuleNode['schema'],
  value: JsonValue,
  text: string,
): FieldError {
  if (reason === 'FieldValueForbidden') return forbidden(path, text)
  if (reason === 'FieldValueRequired') return required(path, text)
  const isShown = type !== 'object' && type !== 'array'
  if (reason === 'FieldValueDuplicate')
    return isShown ? duplicate(path, value) : withoutValue('Duplicate', path)
  return isShown ? invalid(path, value, text) : withoutValue('Invalid', path, text)
}
