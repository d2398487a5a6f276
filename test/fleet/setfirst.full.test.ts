/** After a failover: where something is to be delivered nothing waits for its turn. */
import { expect, it } from 'vitest'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { FleetTraffic } from './fleettraffic.ts'
import { continuous, deliveredOn, inSync, isInSync, ofFiveKinds, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { must } from './simfleet.ts'

const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']

/** What the process before has left: the unit was under way. */
async function leaveUnderWay(story: SetStory, cluster: string): Promise<void> {
  const there = deliveredOn(story, cluster)!
  const left = { ...there, status: { ...there.status, state: 'Delivering' } }
  const write = { purpose: 'user', manager: 'lockstep', subresource: 'status' } as const
  must(await story.during(story.fleet.hub.update(inventoryKind, left, write)))
}

it('a cluster with a unit under way is read at once, others after it', async () => {
  const story = await inSync('first', CLUSTERS)
  story.manager.stop()
  await leaveUnderWay(story, 'c4')
  const traffic = new FleetTraffic(story.fleet)
  const from = story.fleet.env.clock.steady()
  story.manager = story.fleet.startController()
  await story.pass(0.5)
  const reads = (cluster: string) => traffic.asked.filter((a) => a.cluster === cluster && a.what === 'read')
  // Who it is, twice what it serves, its objects of each kind, all before any other is listed.
  const first = reads('c4')
  expect(first.length).toBeGreaterThanOrEqual(4)
  expect(first.at(-1)!.at - from).toBeLessThan(100)
  for (const other of CLUSTERS.filter((c) => c !== 'c4')) expect(reads(other).length).toBeLessThan(4)
  expect(await story.until(() => isInSync(story), 60)).toBe(true)
})

it('what already waits for its turn goes as soon as there is something to deliver', async () => {
  const story = await SetStory.open('meanwhile', ['c1'])
  await story.source('a', { 'a.yaml': yaml(...ofFiveKinds()) })
  await story.set('crs1', sources('a'), continuous())
  expect(await story.until(() => isInSync(story), 60)).toBe(true)
  story.manager.stop()
  await story.source('a', { 'a.yaml': yaml(...ofFiveKinds('2')) })
  const traffic = new FleetTraffic(story.fleet)
  const from = story.fleet.env.clock.steady()
  story.manager = story.fleet.startController()
  expect(await story.until(() => valueOn(story, 'c1', 'x') === '2', 60)).toBe(true)
  await story.pass(5)
  const lists = traffic.asked.filter((a) => a.what === 'read' && a.path.includes('labelSelector'))
  const times = lists.map(({ at }) => at - from)
  // The new content is published after a second in which nothing changes; five a second would take twice as long.
  expect(times.length).toBeGreaterThanOrEqual(ofFiveKinds().length)
  expect(times.at(-1)).toBeLessThan(1300)
})

it('clusters that take their time to answer are as they were said to be, and nothing is written meanwhile', async () => {
  const story = await inSync('slow to answer', ['c1', 'c2'])
  await story.pass(60)
  const commits = story.fleet.commits.length
  story.manager.stop()
  new FleetTraffic(story.fleet, 20_000)
  story.manager = story.fleet.startController()
  await story.pass(300)
  expect(
    story.fleet.commits.slice(commits).map((c) => `${c.cluster} ${c.verb} ${c.resource} ${c.key}`),
  ).toEqual([])
})
