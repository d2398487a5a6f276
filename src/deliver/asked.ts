/** Edges that ask an expression of a live object. */
import { compileReady, type Expression } from '../core/health/expression.ts'
import type { OrderEdge } from '../core/order/graph.ts'
import type { LiveObject } from '../fleet/live.ts'

/** Compiled once for each edge of a graph. Texts are checked when the graph is built. */
const compiled = new WeakMap<OrderEdge, Expression | undefined>()

/** Whether the edge's expression is true of what is there. An expression that fails is not: the edge waits. */
export function holds(e: OrderEdge, live: LiveObject | 'unknown' | undefined): boolean {
  if (live === undefined || live === 'unknown' || e.expression === undefined) return false
  if (!compiled.has(e)) {
    const result = compileReady(e.expression)
    compiled.set(e, result.ok ? result.value : undefined)
  }
  return compiled.get(e)?.evaluate(live.object) === true
}
