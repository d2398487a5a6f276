import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../test/arbitrary/decision.ts'
import { bundles } from '../../../test/arbitrary/manifests.ts'
import { buildOrder } from './build.ts'
import type { OrderEdge, OrderGraph } from './graph.ts'

/** Every node once, every edge forwards, every level above those of what it needs. */
function expectSound({ nodes, needs, sequence, level }: OrderGraph): void {
  expect(new Set(sequence).size).toBe(nodes.length)
  const place = new Map(sequence.map((n, i) => [n, i]))
  const isForwards = (e: OrderEdge): boolean => place.get(e.from)! < place.get(e.to)!
  const isDeeper = (e: OrderEdge): boolean =>
    level[e.to]! >= level[e.from]! + (nodes[e.from]!.type === 'object' ? 1 : 0)
  expect(needs.flat().filter((e) => !isForwards(e) || !isDeeper(e))).toEqual([])
}

/** Objects that come before the Namespace they are in. */
function homeless({ nodes, sequence }: OrderGraph): string[] {
  const seen = new Set<string>()
  const all = new Set(nodes.map((n) => n.id))
  return sequence.flatMap((n) => {
    const node = nodes[n]!
    seen.add(node.id)
    const home = node.type === 'object' && `/Namespace//${node.object.metadata.namespace}`
    return home && all.has(home) && !seen.has(home) ? [node.id] : []
  })
}

it('a bundle has an order, whatever its objects', () => {
  decidesAlike(fc.tuple(bundles, fc.nat()), ([bundle]) => buildOrder(bundle), {
    'the same for the same objects in any order': ([bundle, n], order) => {
      const other = buildOrder(shuffled(bundle, n))
      if (order.ok) sameAnswer(order, other)
      else expect(other).toMatchObject({ ok: false, error: { reason: order.error.reason } })
    },
    'with every object once': ([bundle], order) => {
      if (!order.ok) return
      const objects = order.value.nodes.flatMap((n) => (n.type === 'object' ? [n.object] : []))
      expect(objects.length).toBe(bundle.length)
      expect(bundle.filter((o) => !objects.includes(o))).toEqual([])
    },
    'with every edge forwards, and a Namespace before what is in it': (_, order) => {
      if (!order.ok) return
      expectSound(order.value)
      expect(homeless(order.value)).toEqual([])
    },
  })
})
