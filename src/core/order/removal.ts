/** How deep each node is when all is deleted: the reverse of the order, but where rules of deletion say otherwise. */
import { err, ok, type Result } from '../../env/result.ts'
import { cycleText } from './cycles.ts'
import type { OrderEdge, OrderNode } from './graph.ts'
import { sequenceOf } from './sequence.ts'
import { TopologicalOrder } from './toporder.ts'

interface Removal {
  readonly level: readonly number[]
  readonly removals: readonly OrderEdge[]
}

/**
 * Rules of deletion first, then the order turned round where it closes no cycle with them. Without rules the depth is
 * that of the order. The error is a cycle among required rules, as text.
 */
export function removalLevels(
  nodes: readonly OrderNode[],
  needs: readonly (readonly OrderEdge[])[],
  rules: readonly OrderEdge[],
  level: readonly number[],
): Result<Removal, string> {
  if (rules.length === 0) return ok({ level, removals: [] })
  const deletion: OrderEdge[][] = nodes.map(() => [])
  const required = rules.filter((r) => r.strength === 'Required')
  for (const r of required) deletion[r.to]!.push(r)
  const { done, sequence } = sequenceOf(nodes, deletion)
  if (!done) return err(cycleText(nodes, deletion, sequence))
  const order = new TopologicalOrder(deletion, sequence)
  const lay = (e: OrderEdge): readonly OrderEdge[] => {
    if (!order.connect(e.from, e.to)) return []
    deletion[e.to]!.push(e)
    return [e]
  }
  const preferred = rules.filter((r) => r.strength === 'Preferred').flatMap(lay)
  for (const list of needs) for (const e of list) lay({ ...e, from: e.to, to: e.from, ask: 'Gone' })
  const { level: height } = sequenceOf(nodes, deletion)
  const top = height.reduce((a, b) => Math.max(a, b), 0)
  // What goes first is the deepest.
  return ok({ level: height.map((h) => top - h), removals: [...required, ...preferred] })
}
