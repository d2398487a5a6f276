/** Whether the object at the end of an edge is as the edge wants it. */
import { err, type Result } from '../../env/result.ts'
import type { JsonValue, KubeObject } from '../../object/object.ts'
import { fromJson } from '../cel/json.ts'
import { compile, freshBudget, PER_CALL_LIMIT, type Program } from '../cel/program.ts'
import { anything } from '../cel/schema.ts'
import type { ObjectEdge } from '../graph/module.ts'
import { healthOf } from '../health/health.ts'

/** Compiles `readyExpr`: CEL over `object`, a bool. The error is the compiler's, with its place in the text. */
export function compileReady(text: string): Result<Program, string> {
  const compiled = compile(text, { object: anything })
  if (!compiled.ok)
    return err(
      compiled.error.map((p) => (p.line > 0 ? `${p.line}:${p.column}: ${p.message}` : p.message)).join('; '),
    )
  const { type } = compiled.value
  return type === 'bool' || type === 'dyn' ? compiled : err(`it gives ${type}, and must give bool`)
}

const compiled = new WeakMap<ObjectEdge, Result<Program, string>>()

/** Edges live as long as their revision: each is compiled once. */
function programOf(edge: ObjectEdge, text: string): Result<Program, string> {
  const known = compiled.get(edge) ?? compileReady(text)
  compiled.set(edge, known)
  return known
}

/** What keeps the edge closed, for people; undefined: nothing. Texts never hold what is in a Secret. */
export function unreadiness(edge: ObjectEdge, object: KubeObject, nowMs: number): string | undefined {
  if (edge.readyExpr === undefined || object.metadata.deletionTimestamp !== undefined) {
    const health = healthOf(object, nowMs)
    return health.state === 'Healthy' ? undefined : health.message || health.state
  }
  const program = programOf(edge, edge.readyExpr)
  if (!program.ok) return `readyExpr does not compile: ${program.error}`
  const value = program.value.evaluate({ object: fromJson(object as unknown as JsonValue) }, freshBudget())
  if (value.ok)
    return value.value === true
      ? undefined
      : `${edge.readyExpr} is ${value.value === false ? 'false' : 'no bool'}`
  if (value.error.kind !== 'error')
    return `readyExpr of edge "${edge.id}" costs more than ${PER_CALL_LIMIT} units; it was stopped`
  const text = isSecret(object) ? 'it fails on this Secret' : value.error.message
  return `${edge.readyExpr}: ${text}`
}

const isSecret = (o: KubeObject): boolean => o.kind === 'Secret' && o.apiVersion === 'v1'
