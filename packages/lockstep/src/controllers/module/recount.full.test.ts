/** `status.clusters` is a count of units, whatever has happened to them; of 10,000 clusters and 20 modules in the deep run. */
import { expect, it } from 'vitest'
import { fleetOf } from '../../../../../test/arbitrary/largefleet.ts'
import { Recount } from '../../../../../test/arbitrary/recount.ts'
import { EVERY_WRITE } from '../../../../../test/tier.ts'
import { seededRandom } from '../../../../kube/src/env/sim/seededrandom.ts'

const isLarge = EVERY_WRITE
const [CLUSTERS, MODULES, INSTANTS] = isLarge ? [10_000, 20, 1000] : [60, 4, 200]
const ROLLOUT = { strategy: 'Replace', maxUnreachable: '100%' }

it(`${MODULES} modules on ${CLUSTERS} clusters, at ${INSTANTS} random instants`, {
  timeout: 3_600_000,
}, () => {
  const random = seededRandom('recount')
  const fleet = new Recount(fleetOf(MODULES, CLUSTERS, ROLLOUT, 2))
  fleet.deliver()
  const met = new Set<string>()
  for (let i = 0; i < INSTANTS; i++) {
    fleet.change(random, 1 + Math.floor(random.next() * 20))
    const { said, counted, inFlight } = fleet.compare(random)
    expect([inFlight, said]).toEqual([0, counted])
    for (const [name, n] of Object.entries(counted)) if (n > 0) met.add(name)
  }
  expect([...met].sort()).toEqual([
    'paused',
    'pinned',
    'ready',
    'total',
    'unreachable',
    'updated',
    'updating',
  ])
})
