import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordOf, specs } from '../../../../../test/arbitrary/arbitrarymodule.ts'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { timestamp } from '../../../../kube/src/object/index.ts'
import { moduleId } from '../../decisions/graph/moduleref.ts'
import { referenceTo } from '../cache/references.ts'
import type { RevisionRecord } from '../cache/revisions.ts'
import { collect, retainedRevisions } from './collectable.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const HOUR = 3_600_000

interface Thing {
  readonly since: string | undefined
  readonly isNeeded: boolean
}

const since = fc.oneof(
  fc.constantFrom(undefined, '', 'yesterday', timestamp(NOW - HOUR), timestamp(NOW - HOUR + 1000)),
  fc.integer({ min: -3 * HOUR, max: HOUR }).map((ms) => timestamp(NOW + ms)),
)
const things = fc.array(fc.record<Thing>({ since, isNeeded: fc.boolean() }), { maxLength: 8 })

it('what nothing needs is marked, and due an hour later', () => {
  decidesAlike(
    things,
    (all) =>
      collect(
        all,
        (t) => t.since,
        (t) => t.isNeeded,
        NOW,
      ),
    {
      'nothing that is needed is marked or due': (_, { mark, due }) => {
        expect([...mark, ...due].filter((t) => t.isNeeded)).toEqual([])
      },
      'due is only what was marked an hour ago, and all of it': (all, { due }) => {
        const isOld = (t: Thing) => Date.parse(t.since ?? '') <= NOW - HOUR
        expect(due).toEqual(all.filter((t) => !t.isNeeded && isOld(t)))
      },
      'what is needed again loses its mark, and nothing else does': (all, { clear }) => {
        expect(clear).toEqual(all.filter((t) => t.isNeeded && t.since !== undefined))
      },
      'what is not needed is marked, on its way, or due': (all, { mark, due }) => {
        for (const t of all.filter((t) => !t.isNeeded && !mark.includes(t) && !due.includes(t)))
          expect(Date.parse(t.since!)).toBeGreaterThan(NOW - HOUR)
      },
    },
  )
})

const spec = fc.sample(specs, { numRuns: 1, seed: 1 })[0]!
const revisions = fc
  .array(fc.record({ module: fc.constantFrom('a', 'b', 'gone'), isNeeded: fc.boolean() }), { maxLength: 12 })
  .map((list) =>
    list.map(({ module, isNeeded }, i) => {
      const record = recordOf(spec, [])
      const ref = { ...record.module, name: module }
      return {
        record: { ...record, module: ref, revision: `v1:${i}`, number: i } as RevisionRecord,
        isNeeded,
      }
    }),
  )
const limits = fc.record({ a: fc.nat(4), b: fc.nat(4) })

it('revisions stay that something refers to, and the newest of the others', () => {
  decidesAlike(
    fc.tuple(revisions, limits),
    ([all, { a, b }]) => {
      const needed = all.filter((r) => r.isNeeded).map((r) => referenceTo('platform', r.record.revision))
      const references = { revisions: new Set(needed), bundles: new Set<string>(), kids: new Set<string>() }
      const limit = (name: string) => (name === 'a' ? a : name === 'b' ? b : undefined)
      return [
        ...retainedRevisions(
          all.map((r) => r.record),
          references,
          (m) => limit(m.name),
        ),
      ]
    },
    {
      'all that is needed': ([all], kept) => {
        for (const r of all) if (r.isNeeded) expect(kept).toContain(r.record)
      },
      'those of a module that is gone are left to its deletion': ([all], kept) => {
        for (const { record } of all) if (record.module.name === 'gone') expect(kept).toContain(record)
      },
      'of the others the newest, as many as the module says': ([all, limit], kept) => {
        for (const name of ['a', 'b'] as const) {
          const others = all.filter((r) => r.record.module.name === name && !r.isNeeded).map((r) => r.record)
          const newest = others.slice(Math.max(0, others.length - limit[name]))
          expect(others.filter((r) => kept.includes(r))).toEqual(newest)
          expect(newest.every((r) => moduleId(r.module) === `Module/platform/${name}`)).toBe(true)
        }
      },
    },
  )
})
