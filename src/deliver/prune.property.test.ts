import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../test/arbitrary/decision.ts'
import { pruneViews } from '../../test/arbitrary/prune.ts'
import { identityOf } from '../object/object.ts'
import { type PruneView, pruneBlockers, pruneNext } from './prune.ts'

const ids = (view: PruneView) => {
  const { remove, release } = pruneNext(view)
  return { remove: remove.map(identityOf).sort(), release: release.map(identityOf).sort() }
}

describe('what is deleted next, whatever is there', () => {
  it('deletes only what is ours and still as we left it, and never what every cluster needs', () => {
    decidesAlike(pruneViews, pruneNext, ({ entries, inventoryUid }, { remove, release }) => {
      const of = new Map(entries.map((p) => [identityOf(p.entry), p]))
      for (const o of remove) {
        const { live, usedBy, entry } = of.get(identityOf(o))!
        expect(live).toMatchObject({ uid: entry.uid, inventory: inventoryUid, deleting: false })
        expect(usedBy).toBeUndefined()
        expect(`${o.kind}/${o.name}`).not.toBe('Namespace/default')
        expect(release).not.toContain(o)
      }
      for (const o of release) expect(of.get(identityOf(o))!.live).not.toBe('unknown')
    })
  })

  it('a Namespace goes after everything else, a definition after all but that', () => {
    decidesAlike(pruneViews, pruneNext, ({ entries }, { remove, release }) => {
      const waits = entries.filter((p) => p.usedBy === undefined && !release.includes(p.entry))
      const kinds = new Set(remove.map((o) => o.kind))
      if (kinds.has('Namespace')) expect(waits.every((p) => p.entry.kind === 'Namespace')).toBe(true)
      if (kinds.has('CustomResourceDefinition')) expect(kinds.size).toBe(1)
    })
  })

  it('is the same for the same entries in any order', () => {
    decidesAlike(
      fc.tuple(pruneViews, fc.nat()),
      ([view]) => ({ next: ids(view), why: pruneBlockers(view) }),
      ([view, n], { next }) => sameAnswer(next, ids({ ...view, entries: shuffled(view.entries, n) })),
    )
  })
})
