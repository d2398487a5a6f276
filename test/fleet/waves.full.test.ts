/**
 * Edges that ask for the waves before one, as Modules of applications have them: they come between the waves of their group, which
 * may wait for what they make.
 */
import { describe, expect, it } from 'vitest'
import { deploymentKind } from '../../packages/kube/src/client/client.cases.ts'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { at } from '../../packages/kube/src/object/index.ts'
import { inventoryKind } from '../../packages/lockstep/src/api/kinds/inventory/columns.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody', precondition: 'any', force: true } as const
const WAVE = 'argocd.argoproj.io/sync-wave'

const inWave = (manifest: string, wave: number): string =>
  manifest.replace('metadata: {', `metadata: {annotations: {${WAVE}: "${wave}"}, `)
const wait = (name: string, wave: number): string => `apiVersion: lockstep.dev/v1alpha1
kind: Wait
metadata: {name: ${name}, annotations: {${WAVE}: "${wave}"}}
spec: {resourceType: configmap, resourceName: ${name}, resourceNamespace: default}
`

/** A Deployment and a wait in wave 5, a wait for what an application makes in wave 10, an object after it. */
const group = (n: string): string =>
  [
    inWave(configManifest('settings', n), 0),
    inWave(deploymentManifest('storage', `storage:${n}`), 5),
    wait('ready', 5),
    wait('made', 10),
    inWave(configManifest('last', n), 15),
  ].join('---\n')

const ALL = ['group', 'five', 'ten']
const AT_5 = { on: 'group', beforeWave: 5 }
const AT_10 = { on: 'group', beforeWave: 10 }

async function begun(name: string, release: { release?: string } = { release: 'r1' }): Promise<Story> {
  const story = await Story.begin(`waves ${name}`, ['edge'], { delays: LIFELIKE })
  await story.config('group-1', group('1'))
  await story.config('group-2', group('2'))
  await story.config('five', configManifest('made', '1'))
  await story.config('ten', configManifest('ten', '1'))
  await story.module('group', 'group-1', release)
  await story.module('five', 'five', { ...release, dependsOn: [AT_5] })
  await story.module('ten', 'ten', { ...release, dependsOn: [AT_10, 'five'] })
  return story
}

/** What the wait of wave 5 is for. */
const isReady = (story: Story) => {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ready', namespace: 'default' } }
  return story.during(story.fleet.clusters.get('edge')!.client.apply(configMapKind, body, USER))
}
const there = (story: Story, name: string) => story.live('edge', 'configmaps', name)
const doneBefore = (story: Story) => story.inventory('group', 'edge')?.status?.doneBeforeWave
/** The place of the commit that made, or last changed, a thing on the cluster. */
const placeOf = (story: Story, what: RegExp, from = 0): number =>
  story.fleet.commits.findIndex(
    (c, i) => i >= from && c.cluster === 'edge' && what.test(`${c.verb} ${c.resource} ${c.key}`),
  )

describe('an application in a wave', () => {
  it('begins once the waves before it are done, and makes what a later one waits for', async () => {
    const story = await begun('deadlock')
    expect(await story.until(() => story.isReady('five'))).toBe(true)
    // The wait of wave 5 is open: neither the application of wave 10 nor the wave itself has begun.
    await story.pass(60)
    expect(there(story, 'ten')).toBeUndefined()
    expect([doneBefore(story), story.isReady('group')]).toEqual([5, false])
    expect(story.blockers('ten')).toEqual([
      expect.stringMatching(
        /^DependencyNotReady: waiting for dependency group@r1 on edge: waves before 10 are not complete: ConfigMap default\/ready .* does not exist/,
      ),
    ])
    must(await isReady(story))
    expect(await story.until(() => ALL.every((m) => story.isReady(m)))).toBe(true)
    expect(doneBefore(story)).toBe(10)
    const order = ['settings', 'made', 'last'].map((name) =>
      placeOf(story, new RegExp(`^create configmaps default/${name}$`)),
    )
    expect(order).toEqual([...order].sort((a, b) => a - b))
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('is verified anew at another release of the group once its waves before are done at that, and no sooner', async () => {
    const story = await begun('again')
    must(await isReady(story))
    expect(await story.until(() => ALL.every((m) => story.isReady(m, 'r1')))).toBe(true)
    const commits = story.fleet.commits.length
    const release = { release: 'r2' }
    await story.config('ten-2', configManifest('ten', '2'))
    await story.module('ten', 'ten-2', { ...release, dependsOn: [AT_10, 'five'] })
    await story.module('five', 'five', { ...release, dependsOn: [AT_5] })
    await story.pass(5)
    expect(story.blockers('five')).toEqual([
      'ReleaseMismatch: dependency group is at release r1, five requires r2',
    ])
    await story.module('group', 'group-2', release)
    expect(await story.until(() => ALL.every((m) => story.isReady(m, 'r2')))).toBe(true)
    const storage = story.fleet.commits.findIndex(
      (c, i) =>
        i > commits &&
        c.resource === 'deployments.apps' &&
        at(c.next, 'status', 'observedGeneration') === 2 &&
        at(c.next, 'status', 'availableReplicas') === 1,
    )
    expect(storage).toBeGreaterThan(commits)
    expect(placeOf(story, /configmaps default\/ten$/, commits)).toBeGreaterThan(storage)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('without a release, begins with another content only after the waves of what the group has published then', async () => {
    const story = await begun('unreleased', {})
    must(await isReady(story))
    expect(await story.until(() => ALL.every((m) => story.isReady(m)))).toBe(true)
    const before = story.inventory('ten', 'edge')?.spec.admitted?.serial
    const published = story.see('group').status?.currentRevision
    story.fleet.clusters.get('edge')!.world.fail({ image: 'crash', outcome: 'CrashLoop' })
    await story.config('group-1', group('3').replace('storage:3', 'crash:3'))
    expect(await story.until(() => story.see('group').status?.currentRevision !== published)).toBe(true)
    await story.config('ten', configManifest('ten', '2'))
    await story.pass(30)
    expect(story.blockers('ten')[0]).toMatch(
      /^DependencyNotReady: waiting for dependency group on edge: waves before 10 are not complete: /,
    )
    expect(story.inventory('ten', 'edge')?.spec.admitted?.serial).toBe(before)
    expect(there(story, 'ten')).toMatchObject({ data: { value: '1' } })
    // Wave 0 is done at that revision, too.
    expect([doneBefore(story), story.isReady('five')]).toEqual([5, true])
    await story.config('group-1', group('3'))
    expect(await story.until(() => ALL.every((m) => story.isReady(m)))).toBe(true)
    expect(there(story, 'ten')).toMatchObject({ data: { value: '2' } })
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('the status of a unit', () => {
  it('says no wave where nobody asks for one, and what is asked for at once', async () => {
    const story = await Story.begin('waves asked', ['edge'], { delays: LIFELIKE })
    await story.config('group-1', group('1'))
    await story.config('ten', configManifest('ten', '1'))
    await story.module('group', 'group-1')
    must(await isReady(story))
    expect(await story.until(() => story.blockers('group')[0]?.startsWith('WaitNotFound') === true)).toBe(
      true,
    )
    await story.pass(60)
    expect(doneBefore(story)).toBeUndefined()
    const commits = story.fleet.commits.length
    await story.module('ten', 'ten', { dependsOn: [AT_10] })
    expect(await story.until(() => story.isReady('ten'), 10)).toBe(true)
    expect(doneBefore(story)).toBe(10)
    const said = story.fleet.commits
      .slice(commits)
      .filter((c) => c.resource === `${inventoryKind.plural}.${inventoryKind.group}` && /group/.test(c.key))
    expect(said).toHaveLength(1)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('takes a wave back at once when something of it is unwell, and who wants to begin waits', async () => {
    const story = await Story.begin('waves taken back', ['edge'], { delays: LIFELIKE })
    await story.config('group-1', group('1'))
    await story.config('ten', configManifest('ten', '1'))
    await story.module('group', 'group-1')
    await story.module('ten', 'ten', { dependsOn: [AT_10] })
    must(await isReady(story))
    expect(await story.until(() => story.isReady('ten'))).toBe(true)
    // `made` is missing: the group itself is not ready all the while.
    const { client } = story.fleet.clusters.get('edge')!
    const key = { namespace: 'default', name: 'storage' }
    const broken = { spec: { template: { spec: { containers: [{ name: 'main', image: 'crash:1' }] } } } }
    const from = story.fleet.commits.length
    must(await story.during(client.patch(deploymentKind, key, broken, USER)))
    expect(await story.until(() => doneBefore(story) === undefined, 10)).toBe(true)
    await story.config('ten', configManifest('ten', '2'))
    expect(await story.until(() => at(there(story, 'ten'), 'data', 'value') === '2')).toBe(true)
    const said = story.fleet.commits
      .slice(from)
      .flatMap((c) => (c.key === `${NAMESPACE}/m.group.edge` ? [at(c.next, 'status', 'doneBeforeWave')] : []))
    expect(said.filter((x, i) => i === 0 || x !== said[i - 1])).toEqual([undefined, 10])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
