import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pruneViews } from '../../../../../test/arbitrary/arbitraryprune.ts'
import { assertProperty } from '../../../../../test/property.ts'
import { foreseeRemoval } from './foreseeremoval.ts'
import { isNothingToPrune, pruneNext } from './prune.ts'

it('each object has one fate, that of the steps of a removal', () => {
  assertProperty(
    fc.property(pruneViews, (view) => {
      const { handedOver, deleted, kept, left } = foreseeRemoval(view, 'Delete')
      const all = [...handedOver.map((h) => h.entry), ...deleted, ...kept, ...left.map((p) => p.entry)]
      expect(new Set(all).size).toBe(all.length)
      expect(view.entries.map((p) => p.entry)).toEqual(expect.arrayContaining(all))
      expect(isNothingToPrune(pruneNext({ ...view, entries: left }))).toBe(true)
      const first = pruneNext(view)
      expect(deleted).toEqual(expect.arrayContaining([...first.remove]))
      expect(handedOver).toEqual(expect.arrayContaining([...first.handOver]))
      for (const { entry, confirm, kept: isKept, fate } of view.entries)
        if (confirm || isKept || fate) expect(deleted).not.toContain(entry)
    }),
  )
})

it('with policy Orphan nothing is deleted, and nothing waits', () => {
  assertProperty(
    fc.property(pruneViews, (view) => {
      const { handedOver, deleted, left } = foreseeRemoval(view, 'Orphan')
      expect([deleted, left]).toEqual([[], []])
      expect(handedOver).toEqual(foreseeRemoval(view, 'Delete').handedOver)
    }),
  )
})
