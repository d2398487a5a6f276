/** A new leader, and a known cluster that does not answer: its last report counts, and nothing starts there. */
import { expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { configManifest, Story } from './steps.ts'

const serve = (story: Story, cluster: string): void =>
  story.fleet.env.net.serve(`https://${cluster}.test`, story.fleet.clusters.get(cluster)!.api.handle)
const isAt2 = (story: Story, cluster: string): boolean =>
  JSON.stringify(story.live(cluster, 'configmaps', 'web')?.data) === '{"value":"2"}'
const assemblage = (story: Story, cluster: string) =>
  story.manager.hub.assemblages.store.get({ namespace: NAMESPACE, name: cluster })
const stateOf = (story: Story, cluster: string): string | undefined =>
  assemblage(story, cluster)?.status?.cluster
const serialOn = (story: Story, cluster: string): number | undefined =>
  story.manager.hub.assignment({ kind: 'Module', namespace: NAMESPACE, name: 'web' }, cluster)?.serial

/** Ready on three clusters; the controller is stopped, and c1 does not answer. */
async function leaderless(name: string): Promise<Story> {
  const story = await Story.begin(name, ['c1', 'c2', 'c3'])
  await story.config('v1', configManifest('web', '1'))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  await story.pass(10)
  story.manager.stop()
  story.fleet.env.net.unserve('https://c1.test')
  return story
}

it('is Connecting, then Unreachable; until then its Module stays ready', async () => {
  const story = await leaderless('connecting')
  story.manager = story.fleet.startController()
  expect(await story.until(() => stateOf(story, 'c1') === 'Connecting', 30)).toBe(true)
  expect(story.isReady('web')).toBe(true)
  expect(assemblage(story, 'c1')?.status?.blockers?.[0]).toMatchObject({ reason: 'ClusterConnecting' })
  expect(await story.until(() => stateOf(story, 'c1') === 'Unreachable', 60)).toBe(true)
  await story.pass(5)
  expect(story.isReady('web')).toBe(false)
  const states = story.fleet.commits.flatMap(({ resource, key, next }) =>
    resource.startsWith('remoteassemblages') && key.endsWith('/c1')
      ? [(next as { status?: { cluster?: string } } | undefined)?.status?.cluster]
      : [],
  )
  expect(states.slice(states.indexOf('Connected'))).not.toContain('Provisioning')
  serve(story, 'c1')
  expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('gets no new revision, and the others do', async () => {
  const story = await leaderless('connecting-start')
  story.manager = story.fleet.startController()
  await story.pass(2)
  const serial = serialOn(story, 'c1')
  await story.config('v2', configManifest('web', '2'))
  await story.module('web', 'v2', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => isAt2(story, 'c2') && isAt2(story, 'c3'), 30)).toBe(true)
  expect([stateOf(story, 'c1'), serialOn(story, 'c1')]).toEqual(['Connecting', serial])
  expect(story.blockers('web').join('\n')).toMatch(/ClusterConnecting: connecting to cluster c1/)
  serve(story, 'c1')
  expect(await story.until(() => story.isReady('web') && isAt2(story, 'c1'), 120)).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

it('keeps its entry, so that no other cluster starts', async () => {
  const story = await Story.begin('connecting-slot', ['c1', 'c2'])
  await story.config('v1', configManifest('web', '1'))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const ledger = () => (story.see('web').status?.rollout?.ledger ?? []).map((e) => e.cluster)
  await story.config('v2', configManifest('web', '2'))
  await story.module('web', 'v2', { rollout: { minReadySeconds: 100 } })
  expect(await story.until(() => ledger().length === 1, 30)).toBe(true)
  const [first] = ledger()
  const other = first === 'c1' ? 'c2' : 'c1'
  story.manager.stop()
  story.fleet.env.net.unserve(`https://${first}.test`)
  story.manager = story.fleet.startController()
  await story.pass(30)
  expect([ledger(), isAt2(story, other)]).toEqual([[first], false])
  serve(story, first!)
  expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
})

it('is Provisioning only if it was never reached', async () => {
  const story = await Story.begin('never-reached', ['c1'])
  story.fleet.env.net.unserve('https://c9.test')
  const secret = clusterSecret('c9', { env: 'prod' })
  must(await story.during(story.fleet.hub.create(secretKind, secret, { purpose: 'user', manager: 'user' })))
  await story.pass(10)
  const view = story.manager.fleet.view(NAMESPACE, 'c9')!
  expect(story.manager.fleet.condition(view).state).toBe('Provisioning')
})
