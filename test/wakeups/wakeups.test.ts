/** Wake-ups follow from reads: a change queues every request that decides otherwise after it, in the tick of the change. */
import { expect, it } from 'vitest'
import { expectSeen, inputsOf } from '../property.ts'
import { experiment } from './experiment.ts'

/** A platform is delivered once, and then changed many times. */
const CHANGES = 40
const PLATFORMS = inputsOf(0.01)

/** Kinds of reads without which a change would be missed, and the share of changes that need them. */
const NEEDED = {
  published: 0.1,
  revisions: 0.07,
  unit: 0.015,
  assignment: 0.01,
  selection: 0.015,
  holds: 0.004,
  admission: 0.001,
  cluster: 0.001,
}

it('no change misses a request whose decision it changes, and each kind of reads is needed for that', {
  // Over a minute of computing on a free processor.
  timeout: 600_000,
}, async () => {
  const found = await experiment('wakeups', { platforms: PLATFORMS, changes: CHANGES })
  expect(found.missed).toEqual([])
  expectSeen(found.changed, 0.8, found.changes)
  for (const [kind, share] of Object.entries(NEEDED))
    expectSeen(found.needed.get(kind) ?? 0, share, found.changes)
  expectSeen(found.reasons.size >= 5 ? PLATFORMS : 0, 0.9, PLATFORMS)
})
