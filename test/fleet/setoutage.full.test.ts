/** ClusterResourceSets in Continuous while clusters are out of reach, and when all are back at once. */

import { expect, it } from 'vitest'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { patience } from '../patience.ts'
import { busiest, busiestCluster, FleetTraffic } from './fleettraffic.ts'
import { continuous, convergedOf, isInSync, ofFiveKinds, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { must } from './simfleet.ts'

const MANY = process.env.LOCKSTEP_EVERY_WRITE === '1' ? 100 : 40
const CLUSTERS = Array.from({ length: MANY }, (_, i) => `c${i}`)
/** One of ten. */
const AWAY = CLUSTERS.slice(0, MANY / 10)
const HERE = CLUSTERS.slice(MANY / 10)
const OBJECTS = ofFiveKinds()
/** Everything is on its way for so long. */
const WAY_MS = 20

/** Where nobody of us need see it. */
function change(story: SetStory, cluster: string): void {
  const { local } = story.fleet.clusters.get(cluster)!.api
  const there = local.get('configmaps', 'default', 'x')!
  must(local.update({ ...there, data: { v: 'mine' } } as KubeObject, 'somebody'))
}

/** Virtual milliseconds until what somebody has changed on each of these clusters at once is as it was. */
async function repaired(story: SetStory, clusters: readonly string[]): Promise<number> {
  const from = story.fleet.env.clock.steady()
  for (const c of clusters) change(story, c)
  expect(await story.until(() => clusters.every((c) => valueOn(story, c, 'x') === '1'), 60)).toBe(true)
  return story.fleet.env.clock.steady() - from
}

it('the others are repaired as before; those that are back are asked one after the other, and all are as they should be', {
  timeout: patience(240_000),
}, async () => {
  const story = await SetStory.open('an outage', CLUSTERS)
  await story.source('a', { 'a.yaml': yaml(...OBJECTS) })
  await story.set('crs1', sources('a'), continuous({ [SET.maxUnavailable]: '100%' }))
  expect(await story.until(() => isInSync(story), 300)).toBe(true)
  await story.pass(60)
  const { clock } = story.fleet.env
  const traffic = new FleetTraffic(story.fleet, WAY_MS)
  const before = await repaired(story, HERE)
  traffic.lose(AWAY)
  await story.pass(70)
  expect(convergedOf(story)).toContain(`ClusterNotConnected ${AWAY.length}`)
  expect(await repaired(story, HERE)).toBeLessThanOrEqual(1.1 * before)

  // Somebody has changed something where nobody could see it.
  for (const c of AWAY) change(story, c)
  const from = clock.steady()
  traffic.find()
  const isWell = () => AWAY.every((c) => valueOn(story, c, 'x') === '1') && isInSync(story)
  expect(await story.until(isWell, 60)).toBe(true)
  await story.pass(10)
  const turns = traffic.inTurn(from)
  const asked = (c: string) => turns.filter(({ cluster }) => cluster === c).length
  // Who it is, and what there is of each kind.
  expect(Math.min(...AWAY.map(asked))).toBeGreaterThanOrEqual(1 + OBJECTS.length)
  expect(busiest(turns, 1000)).toBeLessThanOrEqual(200)
  expect(busiestCluster(turns, 1000)).toBeLessThanOrEqual(5)
})
