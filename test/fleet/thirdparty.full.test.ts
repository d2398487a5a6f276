/** Somebody else keeps assemblages: their records are delivered as those of modules are, and modules write none of them. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { type KubeObject, short10 } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import {
  type ExternalAssemblage,
  remoteAssemblageKind,
} from '../../packages/lockstep/src/api/kinds/remoteassemblage/columns.ts'
import { MANAGED_BY_LABEL, ORPHAN_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const KIND = remoteAssemblageKind as unknown as Kind<ExternalAssemblage>
const EXTERNAL = { rollout: { strategy: 'External' } }

interface Rec {
  readonly kind?: string
  readonly name: string
  readonly revision: string
  readonly bundle: string
}

/** What their controller writes: all of its records of one cluster. */
async function put(
  story: Story,
  records: readonly Rec[],
  { name = 'argo.c0', cluster = 'c0', by = 'argo' } = {},
): Promise<void> {
  const body = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'RemoteAssemblage',
    metadata: { name, namespace: NAMESPACE, labels: { [MANAGED_BY_LABEL]: by } },
    spec: {
      clusterRef: { kind: 'Secret', name: cluster },
      syncs: records.map((r) => ({ kind: 'AppGroup', ...r })),
    },
  }
  must(
    await story.during(story.fleet.hub.apply(KIND, body as never, { ...USER, manager: 'argo', force: true })),
  )
}

const key = { namespace: NAMESPACE, name: 'argo.c0' }
const seen = (story: Story) => story.manager.hub.foreign.store.get(key)
const states = (story: Story): string[] =>
  (seen(story)?.status?.syncs ?? [])
    .map((s) =>
      [
        `${s.kind}/${s.name} ${s.state}`,
        ...(s.blockers ?? []).slice(0, 1).map((b) => `${b.reason}: ${b.message}`),
      ].join(' '),
    )
    .sort()
const untilState = async (story: Story, ...expected: string[]): Promise<void> => {
  await story.until(() => states(story).join() === expected.join(), 200)
  expect(states(story)).toEqual(expected)
}

/** Published for others: what a record of it says. */
async function published(story: Story, name: string, text: string, more: object = {}): Promise<Rec> {
  await story.config(name, text)
  await story.module(name, name, { ...EXTERNAL, ...more })
  const isPublished = () => {
    const { status, metadata } = story.see(name)
    return status?.currentRevision !== undefined && status.observedGeneration === metadata.generation
  }
  expect(await story.until(isPublished)).toBe(true)
  await story.pass(3)
  const { currentRevision, bundle } = story.see(name).status!
  return { name, revision: currentRevision!, bundle: bundle! }
}

const live = (story: Story, name: string) =>
  story.live('c0', 'configmaps', name) as (KubeObject & { data?: { value?: string } }) | undefined

describe('a module whose rollout is External', () => {
  it('publishes, and starts nothing', async () => {
    const story = await Story.begin('external', ['c0', 'c1'])
    const record = await published(story, 'web', configManifest('web', '1'))
    await story.pass(300)
    expect(record.revision).toMatch(/^v1:/)
    expect([story.writes('c0'), story.writes('c1'), story.inventories]).toEqual([[], [], []])
    expect(story.fleet.stored('remoteassemblages.lockstep.dev')).toEqual([])
    await story.deleteModule('web')
    expect(await story.until(() => story.fleet.stored('modules.lockstep.dev').length === 0)).toBe(true)
  })
})

describe("an assemblage of somebody else's", () => {
  it('is delivered beside that of modules, repaired, brought to another revision, and its status says so', async () => {
    const story = await Story.begin('beside', ['c0'])
    const web = await published(story, 'web', configManifest('web', '1'))
    await story.config('own', configManifest('own', '1'))
    await story.module('own', 'own')
    await put(story, [web])
    await untilState(story, 'AppGroup/web Ready')
    expect(await story.until(() => story.isReady('own'))).toBe(true)
    expect([live(story, 'web')?.data, live(story, 'own')?.data]).toEqual([{ value: '1' }, { value: '1' }])
    const { status, metadata } = seen(story)!
    expect([status?.cluster, status?.ready, status?.syncs?.[0]?.revision]).toEqual([
      'Connected',
      '1/1',
      web.revision,
    ])
    expect(status?.syncs?.[0]?.observedSerial).toBe(metadata.generation)
    const edge = story.fleet.clusters.get('c0')!.client
    must(await story.during(edge.delete(configMapKind, { namespace: 'default', name: 'web' }, USER)))
    expect(await story.until(() => live(story, 'web') !== undefined, 60)).toBe(true)
    const next = await published(story, 'web', configManifest('web', '2'))
    await story.pass(60)
    expect(live(story, 'web')?.data).toEqual({ value: '1' })
    await put(story, [next])
    expect(await story.until(() => live(story, 'web')?.data?.value === '2', 60)).toBe(true)
    await untilState(story, 'AppGroup/web Ready')
    // At rest nothing is written any more.
    await story.pass(30)
    const from = story.fleet.commits.length
    await story.pass(3600)
    expect(story.fleet.commits.slice(from).map((c) => `${c.verb} ${c.resource} ${c.key}`)).toEqual([])
    // Modules have their own, under the name of the cluster, and write nowhere else.
    const written = story.fleet.commits.filter(
      (c) => c.resource.startsWith('remoteassemblages') && c.key.endsWith('/argo.c0'),
    )
    expect(new Set(written.map((c) => c.actor))).toEqual(new Set(['argo', 'lockstep']))
    const own = story.manager.hub.assemblages.store.get({ namespace: NAMESPACE, name: 'c0' })
    expect([own?.spec.syncs, own?.status?.syncs?.map((s) => s.name)]).toEqual([undefined, ['own']])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('both want one object: the second is OwnedByAnother, and the first is not touched', async () => {
    const story = await Story.begin('both', ['c0'])
    const web = await published(story, 'web', configManifest('api', 'theirs'))
    await story.config('own', configManifest('api', 'ours'))
    await story.module('own', 'own')
    expect(await story.until(() => story.isReady('own'))).toBe(true)
    const { resourceVersion } = live(story, 'api')!.metadata
    await put(story, [web])
    await story.until(() => states(story).join().includes('OwnedByAnother'), 60)
    expect(states(story)[0]).toMatch(
      /^AppGroup\/web \w+ OwnedByAnother: ConfigMap default\/api belongs to Module platform\/own; /,
    )
    await story.pass(120)
    expect([story.isReady('own'), live(story, 'api')!.metadata.resourceVersion]).toEqual([
      true,
      resourceVersion,
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('the other way round, too', async () => {
    const story = await Story.begin('both turned', ['c0'])
    const web = await published(story, 'web', configManifest('api', 'theirs'))
    await put(story, [web])
    await untilState(story, 'AppGroup/web Ready')
    const { resourceVersion } = live(story, 'api')!.metadata
    await story.config('own', configManifest('api', 'ours'))
    await story.module('own', 'own')
    await story.pass(60)
    expect(story.blockers('own').join()).toContain(
      'OwnedByAnother: ConfigMap default/api on c0 belongs to x.platform.argo.c0.appgroup.web ',
    )
    expect(live(story, 'api')!.metadata.resourceVersion).toBe(resourceVersion)
  })

  it('is gated by the edges of the revision, and keeps what it relies on from leaving', async () => {
    const story = await Story.begin('gated', ['c0'])
    await story.config('base', configManifest('base', '1'))
    await story.module('base', 'base', { targets: { clusters: ['nowhere'] } })
    const web = await published(story, 'web', configManifest('web', '1'), { dependsOn: ['base'] })
    await put(story, [web])
    await story.pass(30)
    expect(states(story)[0]).toContain('Blocked DependencyNotSelected: dependency base does not select c0')
    expect(live(story, 'web')).toBeUndefined()
    await story.module('base', 'base')
    await untilState(story, 'AppGroup/web Ready')
    const order = story.writes('c0').filter((w) => w.includes('configmaps'))
    expect(order).toEqual(['create configmaps default/base', 'create configmaps default/web'])
    await story.deleteModule('base')
    await story.pass(60)
    expect(story.blockers('base')).toEqual([
      'DependentsRemain: waiting for dependent AppGroup web on c0 to be removed: it depends on base; delete it or the dependency',
    ])
    await put(story, [])
    expect(await story.until(() => live(story, 'base') === undefined, 120)).toBe(true)
    expect(story.writes('c0').slice(-2)).toEqual([
      'delete configmaps default/web',
      'delete configmaps default/base',
    ])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a record that is taken out has its unit leave, the others stay; deleted, all of them', async () => {
    const story = await Story.begin('taken out', ['c0'])
    const records = [
      await published(story, 'web', configManifest('web', '1')),
      await published(story, 'db', configManifest('db', '1')),
      await published(story, 'kept', configManifest('kept', '1'), { apply: { deletionPolicy: 'Orphan' } }),
    ]
    await put(story, records)
    await untilState(story, 'AppGroup/db Ready', 'AppGroup/kept Ready', 'AppGroup/web Ready')
    await put(story, records.slice(1))
    expect(await story.until(() => live(story, 'web') === undefined, 60)).toBe(true)
    await untilState(story, 'AppGroup/db Ready', 'AppGroup/kept Ready')
    must(await story.during(story.fleet.hub.delete(KIND, key, USER)))
    expect(await story.until(() => seen(story) === undefined, 120)).toBe(true)
    expect([live(story, 'db'), live(story, 'kept')?.data]).toEqual([undefined, { value: '1' }])
    expect(story.inventories).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('deleted while its cluster is silent: it waits, and goes without it if somebody says so', async () => {
    const story = await Story.begin('deleted silent', ['c0'])
    await put(story, [await published(story, 'web', configManifest('web', '1'))])
    await untilState(story, 'AppGroup/web Ready')
    story.fleet.env.net.unserve('https://c0.test')
    await story.pass(300)
    const from = story.fleet.commits.length
    must(await story.during(story.fleet.hub.delete(KIND, key, USER)))
    await story.pass(300)
    expect(seen(story)?.status?.conditions?.[0]?.reason).toBe('Unreachable')
    const named = { metadata: { annotations: { [ORPHAN_ANNOTATION]: 'c0' } } }
    must(await story.during(story.fleet.hub.patch(KIND, key, named, USER)))
    expect(await story.until(() => seen(story) === undefined, 60)).toBe(true)
    story.fleet.env.net.serve('https://c0.test', story.fleet.clusters.get('c0')!.api.handle)
    const isConnected = (): boolean => {
      const view = story.manager.fleet.view(NAMESPACE, 'c0')
      return view !== undefined && story.manager.fleet.condition(view).state === 'Connected'
    }
    expect(await story.until(isConnected, 600)).toBe(true)
    await story.pass(60)
    expect([story.writes('c0', from), story.inventories.map((i) => i.status?.state)]).toEqual([
      [],
      ['Orphaned'],
    ])
  })

  it('gone at once, or no more theirs by its label: nothing is deleted', async () => {
    const story = await Story.begin('absent', ['c0'])
    await put(story, [await published(story, 'web', configManifest('web', '1'))])
    await untilState(story, 'AppGroup/web Ready')
    must(
      await story.during(
        story.fleet.hub.patch(KIND, key, { metadata: { labels: { [MANAGED_BY_LABEL]: null } } }, USER),
      ),
    )
    await story.pass(60)
    must(await story.during(story.fleet.hub.patch(KIND, key, { metadata: { finalizers: null } }, USER)))
    must(await story.during(story.fleet.hub.delete(KIND, key, USER)))
    await story.pass(300)
    expect(live(story, 'web')?.data).toEqual({ value: '1' })
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('says of each record that cannot be delivered why; what was delivered before stays, and others go on', async () => {
    const story = await Story.begin('refused', ['c0'])
    const web = await published(story, 'web', configManifest('web', '1'))
    const bound = await published(story, 'bound', configManifest('bound', '$(CLUSTER_NAME)'))
    await put(story, [web])
    await untilState(story, 'AppGroup/web Ready')
    const other = `v1:${'0'.repeat(64)}`
    await put(story, [
      { ...web, revision: other },
      { ...web, name: 'db', bundle: other },
      { ...bound, name: 'bound' },
      { ...web, name: 'fine' },
    ])
    await story.until(() => states(story).length === 4, 60)
    await story.pass(30)
    const where = 'RemoteAssemblage platform/argo.c0: AppGroup'
    expect(states(story)).toEqual([
      `AppGroup/bound Blocked BindingUnresolved: ${where} bound: revision ${short10(bound.revision)} mentions binding CLUSTER_NAME, which only Modules resolve`,
      `AppGroup/db Blocked InvalidSpec: ${where} db: bundle of revision ${short10(web.revision)} is ${web.bundle}, not ${other}`,
      expect.stringMatching(/^AppGroup\/fine \w+ OwnedByAnother: /),
      `AppGroup/web Blocked RevisionUnknown: ${where} web requests revision 0000000000, which is not published in the namespace`,
    ])
    expect(live(story, 'web')?.data).toEqual({ value: '1' })
    await put(story, [{ ...web, kind: 'AppGroup' }], { name: 'argo.gone', cluster: 'nowhere' })
    await put(story, [web], { name: 'c0-of-argo' })
    const said = (name: string) =>
      story.manager.hub.foreign.store.get({ namespace: NAMESPACE, name })?.status?.conditions?.[0]?.message ??
      ''
    await story.until(() => said('argo.gone') !== '' && said('c0-of-argo') !== '', 30)
    expect(said('argo.gone')).toBe('spec.clusterRef: there is no cluster Secret nowhere in this namespace')
    expect(said('c0-of-argo')).toContain('its name does not begin with "argo."')
  })

  it('under the name of a cluster: nothing of it is delivered, modules say so, and go on elsewhere', async () => {
    const story = await Story.begin('name taken', ['c0', 'c1'])
    const web = await published(story, 'web', configManifest('web', '1'))
    await put(story, [web], { name: 'c0' })
    await story.config('own', configManifest('own', '1'))
    await story.module('own', 'own')
    await story.pass(60)
    expect(story.blockers('own')).toEqual([
      'OwnedByAnother: RemoteAssemblage platform/c0 has the name of a cluster and is managed by argo; recreate it as argo.c0',
    ])
    expect([story.writes('c0'), story.inventory('own', 'c1')?.status?.state]).toEqual([[], 'Ready'])
    must(await story.during(story.fleet.hub.delete(KIND, { ...key, name: 'c0' }, USER)))
    expect(await story.until(() => story.isReady('own'), 60)).toBe(true)
  })

  it('keeps the bundle that it names, and the revision, while its module goes on', async () => {
    const story = await Story.begin('kept', ['c0'])
    const web = await published(story, 'web', configManifest('web', '1'), { revisionHistoryLimit: 1 })
    await put(story, [web])
    await untilState(story, 'AppGroup/web Ready')
    story.fleet.env.net.unserve('https://c0.test')
    for (let i = 2; i < 6; i++)
      await published(story, 'web', configManifest('web', String(i)), { revisionHistoryLimit: 1 })
    await story.pass(5 * 3600)
    expect(story.fleet.stored('controllerrevisions.apps')).toContain(`web-${short10(web.revision)}`)
    expect((await story.bundle(web.bundle)).map((o: KubeObject) => o.metadata.name)).toEqual(['web'])
    const left = story.fleet.stored('controllerrevisions.apps')
    expect(left.length).toBeLessThan(5)
  })
})
