/** CEL over one live object: how it is compiled, and what one evaluation says. */

import {
  anything,
  type CelProgram,
  compile,
  type Declarations,
  fromJson,
  PER_CALL_LIMIT,
} from '@lockstep/cel/program'
import type { CelProblem } from '@lockstep/cel/syntax'
import { type CelValue, typeNameOf } from '@lockstep/cel/value'
import { err, ok, type Result } from '@lockstep/kube/env'
import { isArray, isObject, type JsonValue, type KubeObject } from '@lockstep/kube/object'

/** An expression that says yes or no of an object. */
export interface CompiledExpression {
  readonly text: string
  evaluate(object: KubeObject): ExpressionVerdict
}

/** `error`: what went wrong, to be put behind the field and a colon. `stopped`: it cost too much. */
export type ExpressionVerdict = boolean | { readonly type: 'error' | 'stopped'; readonly message: string }

/** What an evaluation that was stopped is called, behind its field. */
const STOPPED = `costs more than ${PER_CALL_LIMIT} units; it was stopped`

/**
 * `readyExpr` of an edge or a gate: over `object`, the whole live object. Problems have the line and column of the text;
 * line 0 where there is none.
 */
export const compileReady = (text: string): Result<CompiledExpression, readonly CelProblem[]> =>
  compiled(text, ['object'])

/** Members of an object that expressions of health may name directly, as Flux's `healthCheckExprs` do. */
const MEMBERS = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data'] as const

/** `inProgress`, `failed` and `current` of `spec.health.expressions`: over `object`, and its members by name. */
export const compileHealth = (text: string): Result<CompiledExpression, readonly CelProblem[]> =>
  compiled(text, ['object', ...MEMBERS])

function compiled(text: string, names: readonly string[]): Result<CompiledExpression, readonly CelProblem[]> {
  const declarations: Declarations = Object.fromEntries(names.map((name) => [name, anything]))
  const program = compile(text, declarations)
  if (!program.ok) return program
  const { type, estimate, reads, evaluate } = program.value
  if (type !== 'bool' && type !== 'dyn') return err([whole(`must give a bool, not ${type}`)])
  const { min } = estimate()
  if (min > BigInt(PER_CALL_LIMIT))
    return err([whole(`costs at least ${min} units, the limit is ${PER_CALL_LIMIT}`)])
  const read = names.filter((name) => reads.has(name))
  return ok({
    text,
    evaluate(object) {
      const result = evaluate(bindings(object, read), { left: PER_CALL_LIMIT })
      if (!result.ok)
        return result.error.kind === 'error'
          ? { type: 'error', message: result.error.message }
          : { type: 'stopped', message: STOPPED }
      if (typeof result.value === 'boolean') return result.value
      return { type: 'error', message: `must give a bool, gave ${typeNameOf(result.value)}` }
    },
  })
}

/** Why an expression of a rule has no value. */
export interface RuleFailure {
  readonly failure: string
}

/** Names in the expressions of rules. */
const RULE_NAMES = ['object', 'metadata', 'spec', 'status'] as const

const ruleProgram = new Map<string, Result<CelProgram, readonly CelProblem[]>>()

/** Compiled when first asked for: a process looks at objects of few of the kinds that there are rules for. */
export function compileRule(text: string): Result<CelProgram, readonly CelProblem[]> {
  let program = ruleProgram.get(text)
  if (!program) {
    program = compile(text, Object.fromEntries(RULE_NAMES.map((name) => [name, anything])))
    ruleProgram.set(text, program)
  }
  return program
}

/**
 * The value of an expression of a rule: a text, a number, a boolean. `spec` and `status` that are absent, or no objects, are
 * empty; what is null is absent, as it is to those who write it.
 */
export function ruleCel(text: string, object: KubeObject): string | number | boolean | RuleFailure {
  const program = compileRule(text)
  if (!program.ok) return { failure: `${text}: ${program.error.map((p) => p.message).join('; ')}` }
  const { metadata, spec, status } = object as { readonly [name: string]: JsonValue | undefined }
  const json: Readonly<Record<(typeof RULE_NAMES)[number], JsonValue>> = {
    object: object as unknown as JsonValue,
    metadata: metadata ?? {},
    spec: isObject(spec) ? spec : {},
    status: isObject(status) ? status : {},
  }
  const { reads, evaluate } = program.value
  const read = RULE_NAMES.filter((name) => reads.has(name)).map((name) => [
    name,
    fromJson(withoutNulls(json[name])),
  ])
  const result = evaluate(Object.fromEntries(read), { left: PER_CALL_LIMIT })
  if (!result.ok) return { failure: `${text}: ${result.error.message}` }
  const { value } = result
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return { failure: `${text}: must give a text, a number or a bool, gave ${typeNameOf(value)}` }
}

/** The same value where there is no null in it, which is nearly always. */
function withoutNulls(value: JsonValue): JsonValue {
  if (isArray(value)) {
    const items = value.map(withoutNulls)
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  const kept = entries.flatMap(([k, v]) =>
    v === null || v === undefined ? [] : [[k, withoutNulls(v)] as const],
  )
  const isSame = kept.length === entries.length && kept.every(([, v], i) => v === entries[i]![1])
  return isSame ? value : Object.fromEntries(kept)
}

const whole = (message: string): CelProblem => ({ line: 0, column: 0, message })

/** A member that the object does not have is no variable either: naming it is an error, as of every absent field. */
function bindings(object: KubeObject, names: readonly string[]): Readonly<Record<string, CelValue>> {
  const json = object as unknown as JsonValue & Readonly<Record<string, JsonValue | undefined>>
  const out: { [name: string]: CelValue } = {}
  for (const name of names) {
    const value = name === 'object' ? json : json[name]
    if (value !== undefined) out[name] = fromJson(value)
  }
  return out
}
