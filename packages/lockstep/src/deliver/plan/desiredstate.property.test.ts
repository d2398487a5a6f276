import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bind, bound } from '../../../../../test/arbitrary/arbitraryunit.ts'
import { decidesAlike, shuffled } from '../../../../../test/arbitrary/decision.ts'

it('a bundle is bound to a cluster, whatever is in it', () => {
  decidesAlike(fc.tuple(bound, fc.nat()), ([b]) => bind(b), {
    'with the same digest in any order': ([b, n], desired) => {
      if (!desired.ok) return
      const { contentDigest } = desired.value
      const other = bind({ ...b, bundle: shuffled(b.bundle, n) })
      expect(other).toMatchObject({ ok: true, value: { contentDigest } })
    },
    'with every object once': (_, desired) => {
      if (!desired.ok) return
      const { objects, byId } = desired.value
      expect(objects.filter((d) => d !== undefined)).toHaveLength(byId.size)
      for (const [id, n] of byId) expect(objects[n]!.id).toBe(id)
    },
  })
})
