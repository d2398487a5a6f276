/** A cluster whose labels are changed so that modules do not select it any more. */
import { describe, expect, it } from 'vitest'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import { configMapKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { at, isArray } from '../../packages/kube/src/object/index.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { hooksOf, jobHook, together } from './hookspecs.ts'
import { clusterSecret, must } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'
import { isAssignmentWrite } from './unitwrites.ts'

const CLUSTERS = ['c0', 'c1', 'c2']
const TARGETS = { targets: { clusterSelector: { matchLabels: { env: 'prod' } } } }

async function label(story: Story, cluster: string, env: string): Promise<void> {
  const body = clusterSecret(cluster, { env })
  must(await story.during(story.fleet.hub.apply(secretKind, body, { ...USER, force: true })))
}

/** `web`, and `dep` that needs it, on three clusters. */
async function begun(name: string): Promise<Story> {
  const story = await Story.begin(name, CLUSTERS)
  for (const m of ['web', 'dep']) await story.config(m, configManifest(m, '1'))
  await story.module('web', 'web', { ...TARGETS, rollout: { strategy: 'Replace' } })
  await story.module('dep', 'dep', { ...TARGETS, dependsOn: ['web'], rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web') && story.isReady('dep'))).toBe(true)
  return story
}

const records = (story: Story, cluster: string): string[] =>
  story.inventories
    .filter((i) => i.spec.clusterRef.name === cluster && i.spec.assigned)
    .map((i) => i.spec.moduleRef.name)

it('the cause is written down, dependants go first, then all of it is gone, and its records', async () => {
  const story = await begun('relabelled')
  const from = story.fleet.commits.length
  await label(story, 'c2', 'dev')
  const isGone = () => story.inventory('web', 'c2') === undefined && records(story, 'c2').length === 0
  expect(await story.until(isGone)).toBe(true)
  expect(story.writes('c2', from)).toEqual(['delete configmaps default/dep', 'delete configmaps default/web'])
  expect(['c0', 'c1'].flatMap((c) => story.writes(c, from))).toEqual([])
  // Of each of both: first why, then the delete.
  for (const m of ['web', 'dep']) {
    const commits = story.fleet.commits.slice(from)
    const because = commits.findIndex(
      (c) =>
        c.key.endsWith(`m.${m}.c2`) &&
        JSON.stringify(at(c.next, 'spec', 'causes') ?? []).includes('Relabelled'),
    )
    const deleted = commits.findIndex((c) => c.cluster === 'c2' && c.key === `default/${m}` && !c.next)
    expect([m, because >= 0, because < deleted]).toEqual([m, true, true])
  }
  const slots = story.fleet.commits.slice(from).flatMap((c) => {
    const ledger = at(c.next, 'status', 'rollout', 'ledger')
    return isArray(ledger) ? ledger.map((e) => `${at(e, 'cluster')} ${at(e, 'kind')}`) : []
  })
  expect(new Set(slots)).toEqual(new Set(['c2 Remove']))
  expect(story.fleet.oracles.violations).toEqual([])
})

it('the cause names the object of the cluster, and the version of it that was judged', async () => {
  const story = await begun('judged')
  const from = story.fleet.commits.length
  await label(story, 'c2', 'dev')
  expect(await story.until(() => story.inventory('dep', 'c2') === undefined)).toBe(true)
  const relabelled = story.fleet.commits.findLast((c) => c.resource === 'secrets' && c.key.endsWith('/c2'))!
  const { uid, resourceVersion } = relabelled.next!.metadata
  const causes = story.fleet.commits.slice(from).flatMap((c) => {
    const found = c.key.endsWith('m.dep.c2') ? at(c.next, 'spec', 'causes') : undefined
    return isArray(found) ? found : []
  })
  const module = story.see('dep').metadata.uid
  const cause = { cause: 'Relabelled', uid: module, clusterUid: uid, resourceVersion }
  expect(causes[0]).toEqual(cause)
  expect(causes.at(-1)).toEqual({ ...cause, begun: true })
})

describe('labelled back while what comes before the deletion is under way', () => {
  async function leaving(name: string) {
    // Its Job takes a minute.
    const delays = { notice: [1, 10], start: [60_000, 60_000], work: [1, 10] } as const
    const story = await Story.begin(name, CLUSTERS, { delays: { ...LIFELIKE, ...delays } })
    await story.config('web', together(jobHook('backup', 'PreDelete'), configManifest('web', '1')))
    await story.module('web', 'web', { ...TARGETS, rollout: { strategy: 'Replace' } })
    expect(await story.until(() => story.isReady('web'), 600)).toBe(true)
    const from = story.fleet.commits.length
    await label(story, 'c2', 'dev')
    const isBackingUp = () => story.live('c2', 'jobs.batch', 'backup') !== undefined
    expect(await story.until(isBackingUp, 60)).toBe(true)
    return { story, from }
  }

  it('nothing goes; its hook ends, and the cause is taken back', async () => {
    const { story, from } = await leaving('backed up')
    expect(story.inventory('web', 'c2')?.spec.causes).toMatchObject([{ cause: 'Relabelled' }])
    await label(story, 'c2', 'prod')
    const hasEnded = () => hooksOf(story, 'web', 'c2').join() === 'PreDelete backup Succeeded 1'
    expect(await story.until(hasEnded, 300)).toBe(true)
    expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
    expect(story.writes('c2', from).filter((w) => w.startsWith('delete'))).toEqual([])
    expect(story.inventory('web', 'c2')?.spec).not.toHaveProperty('causes')
    expect(story.see('web').status?.clusters).toMatchObject({ total: 3, ready: 3 })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('told to leave once more, the hook runs once more, and then it goes', async () => {
    const { story, from } = await leaving('twice')
    const first = story.live('c2', 'jobs.batch', 'backup')!.metadata.uid
    const deletes = () => story.writes('c2', from).filter((w) => w.startsWith('delete configmaps'))
    await label(story, 'c2', 'prod')
    await story.pass(300)
    await label(story, 'c2', 'dev')
    const runsAgain = () =>
      ![undefined, first].includes(story.live('c2', 'jobs.batch', 'backup')?.metadata.uid)
    expect(await story.until(runsAgain, 60)).toBe(true)
    expect(deletes()).toEqual([])
    expect(await story.until(() => story.inventory('web', 'c2') === undefined, 300)).toBe(true)
    expect(deletes()).toEqual(['delete configmaps default/web'])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it.each([
  ['before it is told to leave', 0],
  ['once it is told to leave, and before anything is deleted', 1],
])('labelled back %s, it stays as it is: nothing is deleted', async (_, told) => {
  const story = await begun(`back ${told}`)
  const { clock, net } = story.fleet.env
  // The cause is under way for long: until it is written down nothing is deleted.
  const isAssignment = isAssignmentWrite(story.fleet)
  net.wire('https://hub.test', {
    before: async (r) => {
      const isInventory = r.method === 'PUT' && /inventories\/[^/]+$/.test(r.path.split('?')[0]!)
      if (isInventory && !isAssignment(r)) await sleep(clock, 10_000)
      return undefined
    },
  })
  const from = story.fleet.commits.length
  const isTold = () =>
    story.fleet.commits.slice(from).some((c) => at(c.next, 'spec', 'assigned', 'removal') !== undefined)
  await label(story, 'c2', 'dev')
  if (told === 1) expect(await story.until(isTold, 30)).toBe(true)
  await label(story, 'c2', 'prod')
  await story.pass(120)
  expect(story.writes('c2', from)).toEqual([])
  expect([story.isReady('web'), story.isReady('dep'), records(story, 'c2').sort()]).toEqual([
    true,
    true,
    ['dep', 'web'],
  ])
  expect(story.fleet.oracles.violations).toEqual([])
})

it('labelled back while its objects are deleted, it goes to the end, and then comes as a new one', async () => {
  const story = await begun('back late')
  const { client } = story.fleet.clusters.get('c2')!
  const mine = { namespace: 'default', name: 'web' }
  const guard = (finalizers: string[]) =>
    story.during(
      client.patch(configMapKind, mine, { metadata: { finalizers } }, { ...USER, precondition: 'any' }),
    )
  must(await guard(['example.com/slow']))
  await label(story, 'c2', 'dev')
  const there = () => story.live('c2', 'configmaps', 'web')
  expect(await story.until(() => there()?.metadata.deletionTimestamp !== undefined)).toBe(true)
  await label(story, 'c2', 'prod')
  await story.pass(5)
  const from = story.fleet.commits.length
  must(await guard([]))
  expect(await story.until(() => story.isReady('web') && there() !== undefined)).toBe(true)
  // Told to leave, until it is told to come: never something of before, at which it would start without a slot.
  const told = story.fleet.commits.slice(from).flatMap((c) => {
    if (!c.key.endsWith('/m.web.c2')) return []
    if (!c.next) return ['gone']
    return [at(c.next, 'spec', 'assigned', 'removal') ? 'leaves' : 'comes']
  })
  expect(told.join(' ')).toMatch(/^(leaves )*gone( comes)+$/)
  expect(story.fleet.oracles.violations).toEqual([])
})
