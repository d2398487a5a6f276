/** What ClusterResourceSets cost their controller: counts, which hold for any number of clusters. */
import { describe, expect, it } from 'vitest'
import { config, continuous, isInSync, valueOn } from './setsinsync.ts'
import { SetStory, sources, yaml } from './setstory.ts'
import { must, NAMESPACE } from './simfleet.ts'

const CLUSTERS = ['c1', 'c2', 'c3', 'c4', 'c5']
const SETS = ['crs1', 'crs2', 'crs3']
const BIG = 'x'.repeat(10_000)

async function delivered(name: string, strategy: 'Reconcile' | 'Continuous'): Promise<SetStory> {
  const story = await SetStory.open(name, CLUSTERS)
  for (const s of SETS) {
    await story.source(`a-${s}`, { 'a.yaml': yaml(config(s, BIG)) })
    await story.set(s, sources(`a-${s}`), strategy === 'Continuous' ? continuous() : { strategy })
  }
  const isDone = (s: string) =>
    strategy === 'Continuous' ? isInSync(story, s) : story.isApplied(s, CLUSTERS)
  expect(await story.until(() => SETS.every(isDone), 120)).toBe(true)
  await story.pass(30)
  return story
}

const counted = (story: SetStory, name: string, of: Readonly<Record<string, string>> = {}): number =>
  story.fleet.env.meters
    .read()
    .filter((s) => s.name === name && Object.entries(of).every(([k, v]) => s.labels[k] === v))
    .reduce((sum, { value }) => sum + value, 0)

/** Looks of controllers, of one or of all. */
const looks = (story: SetStory, of?: string): number =>
  counted(story, 'lockstep_reconcile_total', of === undefined ? {} : { controller: of })

const parses = (story: SetStory): number => counted(story, 'lockstep_sources_parsed_total')

/** What the hub was asked for, whatever for; by people too. */
const asked = (story: SetStory, verb: string): number =>
  counted(story, 'lockstep_client_requests_total', { cluster: 'hub', verb })

const heartbeat = async (story: SetStory, cluster: string, n: number): Promise<void> => {
  const conditions = [{ type: 'Seen', status: 'True', message: `${n}` }]
  const key = { namespace: NAMESPACE, name: cluster }
  const write = { purpose: 'user', manager: 'capi', precondition: 'any', subresource: 'status' } as const
  must(
    await story.during(
      story.fleet.hub.patch(story.clusterKind, key, { status: { conditions } } as never, write),
    ),
  )
}

describe.each(['Reconcile', 'Continuous'] as const)('%s: three sets on five clusters', (strategy) => {
  it('what Cluster API writes down of a Cluster is nobody’s business: nobody looks, nothing is read or written', async () => {
    const story = await delivered(`heartbeats ${strategy}`, strategy)
    const read = () => [parses(story), asked(story, 'get'), asked(story, 'list')]
    const before = { looks: looks(story), commits: story.fleet.commits.length, read: read() }
    for (let n = 0; n < 10; n++) await heartbeat(story, 'c1', n)
    await story.pass(5)
    expect(looks(story) - before.looks).toBe(0)
    expect(read()).toEqual(before.read)
    expect(story.fleet.commits.length - before.commits).toBe(10)
  })

  it('each content of a source is parsed once, however many clusters it goes to', async () => {
    const story = await delivered(`parsed ${strategy}`, strategy)
    expect(parses(story)).toBe(SETS.length)
    for (const s of SETS) await story.source(`a-${s}`, { 'a.yaml': yaml(config(s, '2')) })
    const isThere = () => SETS.every((s) => CLUSTERS.every((c) => valueOn(story, c, s) === '2'))
    expect(await story.until(isThere, 300)).toBe(true)
    await story.pass(60)
    expect(parses(story)).toBe(2 * SETS.length)
  })

  it('a Cluster that changes is the business of its own units, and of no other cluster’s', async () => {
    const story = await delivered(`one ${strategy}`, strategy)
    const [units, sets] = [looks(story, 'set-unit'), looks(story, 'set')]
    for (let n = 0; n < 10; n++) await story.label('c1', { tier: `${n}` })
    await story.pass(5)
    // Three sets; nothing of it is anything that they select by.
    expect(looks(story, 'set-unit') - units).toBeLessThanOrEqual(45)
    expect(looks(story, 'set') - sets).toBeLessThanOrEqual(45)
  })

  it('a cluster that no set selects is nobody’s business', async () => {
    const story = await delivered(`other ${strategy}`, strategy)
    await story.crowd(story.clusterKind, ['elsewhere'])
    await story.pass(5)
    const [units, sets] = [looks(story, 'set-unit'), looks(story, 'set')]
    for (let n = 0; n < 10; n++) await story.label('elsewhere', { tier: `${n}` })
    await story.pass(5)
    expect([looks(story, 'set-unit') - units, looks(story, 'set') - sets]).toEqual([0, 0])
  })
})
