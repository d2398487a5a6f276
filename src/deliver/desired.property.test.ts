import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, shuffled } from '../../test/arbitrary/decision.ts'
import { bind, bound } from '../../test/arbitrary/unit.ts'

describe('binding a bundle to a cluster, whatever is in it', () => {
  it('has every object once, with the same digest in any order', () => {
    decidesAlike(
      fc.tuple(bound, fc.nat()),
      ([b]) => bind(b),
      ([b, n], desired) => {
        if (!desired.ok) return
        const { objects, byId, contentDigest } = desired.value
        const other = bind({ ...b, bundle: shuffled(b.bundle, n) })
        expect(other).toMatchObject({ ok: true, value: { contentDigest } })
        expect(objects.filter((d) => d !== undefined)).toHaveLength(byId.size)
        for (const [id, n] of byId) expect(objects[n]!.id).toBe(id)
      },
    )
  })
})
