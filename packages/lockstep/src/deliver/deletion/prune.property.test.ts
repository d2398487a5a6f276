import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pruneViews } from '../../../../../test/arbitrary/arbitraryprune.ts'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import { identityOf } from '../../../../kube/src/object/index.ts'
import { type PruneView, pruneBlockers, pruneNext, takesAlong } from './prune.ts'

const ids = (view: PruneView) => {
  const { remove, release, keep, handOver } = pruneNext(view)
  const sorted = (list: typeof remove): string[] => list.map(identityOf).sort()
  const handed = sorted(handOver.map((o) => o.entry))
  return { remove: sorted(remove), release: sorted(release), keep: sorted(keep), handed }
}

it('something is deleted next, or nothing, whatever is there', () => {
  const decide = (view: PruneView) => ({ ...pruneNext(view), why: pruneBlockers(view) })
  decidesAlike(fc.tuple(pruneViews, fc.nat()), ([view]) => decide(view), {
    'only what is ours and as we left it, and never what every cluster needs': ([view], { remove }) => {
      const of = new Map(view.entries.map((p) => [identityOf(p.entry), p]))
      for (const o of remove) {
        const { live, fate, asked, entry } = of.get(identityOf(o))!
        expect(live).toMatchObject({ uid: entry.uid, inventory: view.inventoryUid, deleting: false })
        expect([fate, asked]).toEqual([undefined, false])
        expect(`${o.kind}/${o.name}`).not.toBe('Namespace/default')
      }
    },
    'nothing is let go of that is deleted, or of which nothing is known': ([view], { remove, release }) => {
      expect(release.filter((o) => remove.includes(o))).toEqual([])
      const unknown = view.entries.filter((p) => p.live === 'unknown').map((p) => p.entry)
      expect(release.filter((o) => unknown.includes(o))).toEqual([])
    },
    'nothing that is to be kept, to be confirmed or was refused, nor the Namespace around what is kept': (
      [view],
      { remove, release, keep },
    ) => {
      const left = view.entries.filter((p) => !release.includes(p.entry))
      for (const { entry, kept, confirm, refused } of left) {
        if (kept || confirm || refused) expect(remove).not.toContain(entry)
        if (kept && entry.namespace) expect(remove.map((o) => o.name)).not.toContain(entry.namespace)
      }
      const order = keep
        .map((o) => left.find((p) => p.entry === o)!)
        .map((p) => p.kept || p.fate?.type === 'Orphan')
      expect(order).toEqual([...order].sort())
    },
    'custom resources before everything else, a Namespace after that, a definition after all but that': (
      [view],
      { remove, release },
    ) => {
      const waits = view.entries.filter((p) => p.fate === undefined && !p.kept && !release.includes(p.entry))
      const kinds = new Set(remove.map((o) => o.kind))
      if (kinds.has('Namespace')) expect(waits.every((p) => p.entry.kind === 'Namespace')).toBe(true)
      if (kinds.has('CustomResourceDefinition')) expect(kinds.size).toBe(1)
      if (waits.some((p) => p.entry.kind === 'Widget'))
        expect(remove.filter((o) => o.kind !== 'Widget' && !o.early)).toEqual([])
    },
    'what waits holds up what comes after it in its part of the order': ([view], { remove, release }) => {
      const left = view.entries.filter((p) => !release.includes(p.entry) && !p.kept && !p.fate)
      const plain = left.filter((p) => ['Deployment', 'ConfigMap', 'ServiceAccount'].includes(p.entry.kind))
      for (const { level, part, early, kind } of remove) {
        const isBefore = (p: (typeof plain)[number]) => p.entry.part === part && p.entry.level > level
        if (part && !early && kind !== 'Widget') expect(plain.filter(isBefore)).toEqual([])
      }
    },
    'a handed over object is ours, exists, and is in no other list': (
      [view],
      { remove, release, keep, handOver },
    ) => {
      const of = new Map(view.entries.map((p) => [identityOf(p.entry), p]))
      for (const { entry } of handOver) {
        const { live, refused } = of.get(identityOf(entry))!
        expect([remove, release, keep].some((list) => list.includes(entry))).toBe(false)
        expect(live).toMatchObject({ deleting: false })
        expect(refused).toBeUndefined()
      }
    },
    'what others have or use is not deleted, nor what would take along an object that waits': (
      [view],
      { remove },
    ) => {
      const waiting = view.entries.filter((p) => p.fate?.type === 'Wait' && p.live !== 'gone')
      const of = new Map(view.entries.map((p) => [p.entry, p]))
      for (const entry of remove) {
        const around = waiting.filter((w) => !w.kept && takesAlong(of.get(entry)!, w.entry))
        expect(
          around.filter(
            (w) =>
              typeof w.live === 'object' &&
              w.live.uid === w.entry.uid &&
              w.live.inventory === view.inventoryUid,
          ),
        ).toEqual([])
      }
    },
    'the same for the same entries in any order': ([view, n]) => {
      sameAnswer(ids(view), ids({ ...view, entries: shuffled(view.entries, n) }))
    },
  })
})
