import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import { INVENTORY_KINDS } from './cluster.ts'
import { assignClusterNames } from './clusternames.ts'

const uid = fc.constantFrom(undefined, '1', '2', '3')
const name = fc.constantFrom('a', 'b', 'c')
const kind = fc.constantFrom(...INVENTORY_KINDS)
const input = fc.record({
  candidates: fc.uniqueArray(
    fc.record({ kind, objectName: name, uid }).map((c) => ({ ...c, objectUid: `${c.kind}/${c.objectName}` })),
    {
      selector: (c) => `${c.kind}/${c.objectName}`,
      maxLength: 8,
    },
  ),
  records: fc.uniqueArray(
    fc.record({ name, kind, uid, objectUid: fc.constantFrom(undefined, 'Secret/a', 'ArgoCD/b', 'gone') }),
    { selector: (r) => r.name, maxLength: 3 },
  ),
})

it('every cluster has a name, and every real cluster one object that counts', () => {
  decidesAlike(input, ({ candidates, records }) => assignClusterNames(candidates, records), {
    'each object is there once, each name once': ({ candidates }, seats) => {
      expect(new Set(seats.map((s) => s.candidate))).toEqual(new Set(candidates))
      expect(new Set(seats.map((s) => s.name)).size).toBe(candidates.length)
    },
    'who counts has no twin, and is the first of its order': (_, seats) => {
      for (const { candidate, duplicateOf: twin } of seats) {
        if (!twin) continue
        const seat = seats.find((s) => s.candidate === twin)!
        expect(seat.duplicateOf).toBe(undefined)
        expect(seats.indexOf(seat)).toBeLessThan(seats.findIndex((s) => s.candidate === candidate))
      }
    },
    'a name under which something is delivered is taken over for the same real cluster only': (
      { records },
      seats,
    ) => {
      for (const { name: at, candidate, standsIn } of seats) {
        const record = records.find((r) => r.name === at)
        if (record?.objectUid === candidate.objectUid) continue
        if (standsIn) expect(candidate.uid).toBe(record!.uid)
        else if (record) expect(candidate.kind).toBe(record.kind)
      }
    },
    'the order of what is listed changes nothing': ({ candidates, records }, seats) => {
      expect(assignClusterNames([...candidates].reverse(), [...records])).toEqual(seats)
    },
  })
})
