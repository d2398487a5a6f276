/** Random ClusterResourceSets, faults, leaders and people: test/simulation/sets says what holds of each. */
import { describe, expect, it } from 'vitest'
import { withKnownSeeds } from '../seeds.ts'
import { failuresOf, runSeeds } from './workers.ts'

const MINUTES = 60_000
const SEEDS = 24

describe('random ClusterResourceSets in all modes, whoever leads, whatever goes wrong, and whatever people do', () => {
  it.skipIf(process.env.LOCKSTEP_SEED !== undefined)(
    'apply nothing twice, touch nothing of others, get everywhere in the end, and say why where they do not',
    { timeout: 10 * MINUTES },
    async () => {
      const results = await runSeeds(withKnownSeeds(Array.from({ length: SEEDS }, (_, i) => `set-${i}`)))
      expect(failuresOf(results)).toEqual([])
      for (const id of [...PROPERTIES, ...EVENTS])
        expect(
          results.reduce((sum, r) => sum + (r.tested[id] ?? 0), 0),
          id,
        ).toBeGreaterThan(0)
    },
  )

  it.skipIf(process.env.LOCKSTEP_SEED !== undefined)(
    'give the same trace for the same seed (I18)',
    { timeout: MINUTES },
    async () => {
      const [first, second] = await runSeeds(['set-same', 'set-same'])
      expect(second).toEqual(first)
    },
  )
})

const PROPERTIES = [
  ...['once', 'changed', 'written down', 'true record', 'recorded', 'content', 'bindings', 'leftovers'],
  ...['handshake', 'one hand', 'handed back', 'gone Clusters', 'paused', 'released', 'said', 'sources stay'],
  ...['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I10', 'I13', 'I14'],
]
const EVENTS = [
  ...[
    'recreate',
    'a Cluster gone',
    'relabel',
    'reapply',
    'mode',
    'manage',
    'delete a set',
    'disturb a binding',
  ],
  ...['silence', 'refuse', 'hold', 'fail', 'cut', 'upstream dies'],
]
