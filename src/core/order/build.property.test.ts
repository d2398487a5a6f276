import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../test/arbitrary/decision.ts'
import { bundles } from '../../../test/arbitrary/manifests.ts'
import { buildOrder } from './build.ts'
import type { OrderGraph } from './graph.ts'

/** Every node once, every edge forwards, every level above those of what it needs. */
function expectSound({ nodes, needs, sequence, level }: OrderGraph): void {
  expect([...sequence].sort((a, b) => a - b)).toEqual(nodes.map((_, n) => n))
  const place = new Map(sequence.map((n, i) => [n, i]))
  for (const [n, edges] of needs.entries())
    for (const e of edges) {
      expect(e.to).toBe(n)
      expect(place.get(e.from)!).toBeLessThan(place.get(e.to)!)
      expect(level[e.to]!).toBeGreaterThanOrEqual(level[e.from]! + (nodes[e.from]!.type === 'object' ? 1 : 0))
    }
}

describe('the order of a bundle, whatever its objects', () => {
  it('is the same for the same objects in any order', () => {
    decidesAlike(
      fc.tuple(bundles, fc.nat()),
      ([bundle]) => buildOrder(bundle),
      ([bundle, n], order) => {
        const other = buildOrder(shuffled(bundle, n))
        if (order.ok) sameAnswer(order, other)
        else expect(other).toMatchObject({ ok: false, error: { reason: order.error.reason } })
      },
    )
  })

  it('has every object once, and every edge goes forwards', () => {
    decidesAlike(bundles, buildOrder, (bundle, order) => {
      if (!order.ok) return
      expectSound(order.value)
      const objects = order.value.nodes.flatMap((n) => (n.type === 'object' ? [n.object] : []))
      expect(new Set(objects)).toEqual(new Set(bundle))
    })
  })

  it('puts a Namespace before what is in it', () => {
    decidesAlike(bundles, buildOrder, (_, order) => {
      if (!order.ok) return
      const at = order.value.sequence.map((n) => order.value.nodes[n]!)
      const place = new Map(at.flatMap((n, i) => (n.type === 'object' ? [[n.id, i] as const] : [])))
      for (const n of at) {
        if (n.type !== 'object' || n.object.metadata.namespace === undefined) continue
        const namespace = place.get(`/Namespace//${n.object.metadata.namespace}`)
        if (namespace !== undefined) expect(namespace).toBeLessThan(place.get(n.id)!)
      }
    })
  })
})
