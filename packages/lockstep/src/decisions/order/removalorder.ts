/** In which order all is deleted: the reverse of the order, but where rules of deletion say otherwise. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { isCustomGroup, parseApiVersion } from '@lockstep/kube/object'
import { connectedParts } from './connectedparts.ts'
import { cycleText } from './cycletext.ts'
import type { Depth, OrderEdge, OrderNode } from './ordergraph.ts'
import { sequenceNodes } from './sequencenodes.ts'
import { TopologicalOrder } from './topologicalorder.ts'

interface RemovalOrderResult {
  readonly depths: readonly Depth[]
  readonly removals: readonly OrderEdge[]
}

/**
 * Rules of deletion first, then the order turned round where it closes no cycle with them. Without rules the depth is
 * that of the order. The error is a cycle among required rules, as text.
 */
export function removalOrder(
  nodes: readonly OrderNode[],
  needs: readonly (readonly OrderEdge[])[],
  rules: readonly OrderEdge[],
  level: readonly number[],
): Result<RemovalOrderResult, readonly string[]> {
  const found = rules.length === 0 ? ok({ level, removals: [] }) : ruledLevels(nodes, needs, rules)
  if (!found.ok) return found
  const { removals } = found.value
  const parts = connectedParts(nodes, [...needs.flat(), ...removals])
  const early = earlyOf(nodes, removals)
  const depths = found.value.level.map((l, n): Depth => {
    const part = parts[n]
    return {
      level: l,
      ...(part === undefined ? {} : { part }),
      ...(early.has(n) ? { early: true as const } : {}),
    }
  })
  return ok({ depths, removals })
}

function ruledLevels(
  nodes: readonly OrderNode[],
  needs: readonly (readonly OrderEdge[])[],
  rules: readonly OrderEdge[],
): Result<{ readonly level: readonly number[]; readonly removals: readonly OrderEdge[] }, readonly string[]> {
  const deletion: OrderEdge[][] = nodes.map(() => [])
  const required = rules.filter((r) => r.strength === 'Required')
  for (const r of required) deletion[r.to]!.push(r)
  const { done, sequence } = sequenceNodes(nodes, deletion)
  if (!done) return err(cycleText(nodes, deletion, sequence))
  const order = new TopologicalOrder(deletion, sequence)
  const lay = (e: OrderEdge): readonly OrderEdge[] => {
    if (!order.connect(e.from, e.to)) return []
    deletion[e.to]!.push(e)
    return [e]
  }
  const preferred = rules.filter((r) => r.strength === 'Preferred').flatMap(lay)
  for (const list of needs) for (const e of list) lay({ ...e, from: e.to, to: e.from, ask: 'Gone' })
  const { level: height } = sequenceNodes(nodes, deletion)
  const top = height.reduce((a, b) => Math.max(a, b), 0)
  // What goes first is the deepest.
  return ok({ level: height.map((h) => top - h), removals: [...required, ...preferred] })
}

/** What a rule wants gone before a custom resource, and with it goes before everything else. */
function earlyOf(nodes: readonly OrderNode[], removals: readonly OrderEdge[]): ReadonlySet<number> {
  const early = new Set<number>()
  const isEarly = (n: number): boolean => early.has(n) || isCustomGroup(groupOf(nodes[n]!))
  const isNew = ({ from, to }: OrderEdge): boolean => isEarly(to) && !isEarly(from)
  for (let more = removals.filter(isNew); more.length > 0; more = removals.filter(isNew))
    for (const { from } of more) early.add(from)
  return early
}

const groupOf = (node: OrderNode): string =>
  node.type === 'object' ? parseApiVersion(node.object.apiVersion).group : ''
