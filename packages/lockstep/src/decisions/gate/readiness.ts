/** Whether the object at the end of an edge is as the edge wants it. Pure. */

import type { CelProblem } from '@lockstep/cel/syntax'
import { type CompiledExpression, compileReady, healthOf, problemText } from '@lockstep/health/health'
import type { Result } from '@lockstep/kube/env'
import { isSecret, type KubeObject } from '@lockstep/kube/object'
import type { ObjectEdge } from '../graph/moduleref.ts'

const compiled = new WeakMap<ObjectEdge, Result<CompiledExpression, readonly CelProblem[]>>()

/** Edges live as long as their revision: each is compiled once. */
function expressionOf(edge: ObjectEdge, text: string): Result<CompiledExpression, readonly CelProblem[]> {
  const known = compiled.get(edge) ?? compileReady(text)
  compiled.set(edge, known)
  return known
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Bit by bit, an expression would tell the data of a Secret: it sees its metadata and type. */
function withoutSecretData(object: KubeObject): KubeObject {
  if (!isSecret(object)) return object
  const { apiVersion, kind, metadata } = object
  const { [LAST_APPLIED]: _, ...annotations } = metadata.annotations ?? {}
  const type = (object as KubeObject & { readonly type?: string }).type
  return { apiVersion, kind, metadata: { ...metadata, annotations }, ...(type ? { type } : {}) } as KubeObject
}

/** What keeps the edge closed, for people; undefined: nothing. Texts never hold what is in a Secret. */
export function unreadiness(edge: ObjectEdge, object: KubeObject, nowMs: number): string | undefined {
  const text = edge.readyExpr
  if (text === undefined || object.metadata.deletionTimestamp !== undefined) {
    const health = healthOf(object, nowMs)
    return health.state === 'Healthy' ? undefined : health.message || health.state
  }
  const expression = expressionOf(edge, text)
  if (!expression.ok) return `readyExpr: ${problemText(expression.error)}`
  const verdict = expression.value.evaluate(withoutSecretData(object))
  if (typeof verdict === 'boolean') return verdict ? undefined : `${text} is false`
  if (verdict.type === 'stopped') return `readyExpr of dependency "${edge.id}" ${verdict.message}`
  return `${text}: ${isSecret(object) ? 'it fails on this Secret' : verdict.message}`
}
