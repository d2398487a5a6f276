/** CEL over one live object: how it is compiled, and what one evaluation says. */
import { err, ok, type Result } from '../../env/result.ts'
import type { JsonValue, KubeObject } from '../../object/object.ts'
import { fromJson } from '../cel/json.ts'
import type { CelProblem } from '../cel/problem.ts'
import { compile, type Declarations, PER_CALL_LIMIT } from '../cel/program.ts'
import { anything } from '../cel/schema.ts'
import { typeNameOf, type Value } from '../cel/value/value.ts'

/** An expression that says yes or no of an object. */
export interface Expression {
  readonly text: string
  evaluate(object: KubeObject): Verdict
}

/** `error`: what went wrong, to be put behind the field and a colon. `stopped`: it cost too much. */
export type Verdict = boolean | { readonly type: 'error' | 'stopped'; readonly message: string }

/** What an evaluation that was stopped is called, behind its field. */
const STOPPED = `costs more than ${PER_CALL_LIMIT} units; it was stopped`

/**
 * `readyExpr` of an edge or a gate: over `object`, the whole live object. Problems have the line and column of the text;
 * line 0 where there is none.
 */
export const compileReady = (text: string): Result<Expression, readonly CelProblem[]> =>
  compiled(text, ['object'])

/** Members of an object that expressions of health may name directly, as Flux's `healthCheckExprs` do. */
const MEMBERS = ['apiVersion', 'kind', 'metadata', 'spec', 'status', 'data'] as const

/** `inProgress`, `failed` and `current` of `spec.health.expressions`: over `object`, and its members by name. */
export const compileHealth = (text: string): Result<Expression, readonly CelProblem[]> =>
  compiled(text, ['object', ...MEMBERS])

function compiled(text: string, names: readonly string[]): Result<Expression, readonly CelProblem[]> {
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

const whole = (message: string): CelProblem => ({ line: 0, column: 0, message })

/** A member that the object does not have is no variable either: naming it is an error, as of every absent field. */
function bindings(object: KubeObject, names: readonly string[]): Readonly<Record<string, Value>> {
  const json = object as unknown as JsonValue & Readonly<Record<string, JsonValue | undefined>>
  const out: { [name: string]: Value } = {}
  for (const name of names) {
    const value = name === 'object' ? json : json[name]
    if (value !== undefined) out[name] = fromJson(value)
  }
  return out
}
