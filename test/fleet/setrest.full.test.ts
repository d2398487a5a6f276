/** ClusterResourceSets in Continuous at rest, and after another process has got the Lease of the one before. */

import { expect, it } from 'vitest'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { patience } from '../patience.ts'
import { Failover } from './failover.ts'
import { busiest, busiestCluster, type ClusterRequest, FleetTraffic } from './fleettraffic.ts'
import { config, continuous, isInSync } from './setsinsync.ts'
import { manifest, SetStory, sources, yaml } from './setstory.ts'

const CLUSTERS = Array.from(
  { length: process.env.LOCKSTEP_EVERY_WRITE === '1' ? 100 : 24 },
  (_, i) => `c${i}`,
)
const REST = 1_800_000
const INTERVAL = 600_000
/** What one second is to 5,000 clusters. */
const SECOND = (1000 * 5000) / CLUSTERS.length

/** Requests in all, and most of them in what is a second to 5,000 clusters. */
function expectRest(asked: readonly ClusterRequest[], ms: number): void {
  const mean = asked.length / (ms / SECOND)
  expect(asked.every(({ what }) => what === 'watch')).toBe(true)
  expect(busiest(asked, SECOND)).toBeLessThanOrEqual(2 * mean)
  // 5,000 clusters with twelve kinds, where these have three.
  expect((mean * 12) / 3).toBeLessThanOrEqual(110)
}

it('nothing is written, few watches begin anew, never many at once; and so it is ten minutes after a failover', {
  timeout: patience(240_000),
}, async () => {
  const story = await SetStory.open('at rest', CLUSTERS)
  const processes = await Failover.begin(story)
  await story.source('a', { 'a.yaml': yaml(config('x'), manifest('ServiceAccount', 'y')) })
  await story.set('crs1', sources('a'), continuous({ [SET.maxUnavailable]: '100%' }))
  expect(await story.until(() => isInSync(story), 300)).toBe(true)
  await story.pass(60)
  const { clock } = story.fleet.env
  const traffic = new FleetTraffic(story.fleet)
  const commits = story.fleet.commits.length
  await story.pass(REST / 1000)
  expectRest(traffic.asked, REST)

  await processes.fail()
  const from = clock.steady()
  await story.pass(INTERVAL / 1000)
  const turns = traffic.inTurn(from)
  expect(busiest(turns, 1000)).toBeLessThanOrEqual(200)
  expect(busiestCluster(turns, 1000)).toBeLessThanOrEqual(5)
  // Each has been asked who it is, what it serves, and for its objects of each kind.
  expect(new Set(turns.map((t) => t.cluster)).size).toBe(CLUSTERS.length)
  expect(turns.length).toBeGreaterThan(CLUSTERS.length * 6)
  const after = clock.steady()
  await story.pass(REST / 1000)
  expectRest(
    traffic.asked.filter(({ at }) => at >= after),
    REST,
  )
  expect(
    story.fleet.commits
      .slice(commits)
      .filter((c) => c.resource !== 'leases.coordination.k8s.io')
      .map((c) => `${c.cluster} ${c.verb} ${c.resource} ${c.key}`),
  ).toEqual([])
  expect(isInSync(story)).toBe(true)
})
