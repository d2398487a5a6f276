/** What is asked of a live object beyond its health: an expression, or its end. */
import {
  type CompiledExpression,
  compileReady,
  type ExpressionVerdict,
  type Health,
  SUCCEEDED,
} from '@lockstep/health/health'
import type { KubeObject } from '@lockstep/kube/object'
import type { OrderEdge, OrderGraph, WaitNode } from '../../decisions/order/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'

type ReadinessSubject = OrderEdge | WaitNode

/** Compiled once for each edge and condition of a graph. Texts are checked when the graph is built. */
const compiled = new WeakMap<ReadinessSubject, CompiledExpression | undefined>()

/** Whether the edge's expression is true of what is there. An expression that fails is not: the edge waits. */
export const satisfiesReadiness = (e: OrderEdge, live: LiveObject | 'unknown' | undefined): boolean =>
  live !== undefined && live !== 'unknown' && readinessVerdict(e, live.object) === true

/** What the expression says of an object; false where there is none. */
export function readinessVerdict(asking: ReadinessSubject, object: KubeObject): ExpressionVerdict {
  const { expression } = asking
  if (expression === undefined) return false
  if (!compiled.has(asking)) {
    const result = compileReady(expression)
    compiled.set(asking, result.ok ? result.value : undefined)
  }
  return compiled.get(asking)?.evaluate(object) ?? false
}

/** Of what is healthy: a Job has completed, a Pod has succeeded; nothing else ends. */
export const isComplete = (health: Health, kind: string): boolean =>
  health.unfinished === undefined && (kind !== 'Pod' || health.message === SUCCEEDED)

const readers = new WeakMap<OrderGraph, ReadonlySet<number>>()

/** Nodes of whose objects an expression reads the data, which is not kept otherwise; found once for a graph. */
export function dataRead(graph: OrderGraph): ReadonlySet<number> {
  let found = readers.get(graph)
  if (!found) {
    const asking = graph.needs.flat().filter((e) => /\b(binaryData|data)\b/.test(e.expression ?? ''))
    found = new Set(asking.map((e) => e.from))
    readers.set(graph, found)
  }
  return found
}
