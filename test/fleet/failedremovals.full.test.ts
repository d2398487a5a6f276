/** A removal is a rollout: it fails, no longer counts, is tried again, and too many failures stop the others. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { holdKind, moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { DENIAL, denyDeletes } from './deniedremoval.ts'
import { jobHook, together } from './hookspecs.ts'
import { allowed } from './removedmodules.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { configManifest, type ModuleOptions, Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'user', precondition: 'any' } as const
const KEY = { namespace: 'default', name: 'x' }
const X = configManifest('x', '1')
const names = (n: number): string[] => Array.from({ length: n }, (_, i) => `c${i + 1}`)

/** Module m is ready on all clusters; they are removed from one after the other. */
async function delivered(
  name: string,
  clusters: readonly string[],
  text = X,
  options: ModuleOptions = {},
): Promise<Story> {
  const story = await Story.begin(name, clusters)
  await story.config('m', text)
  await story.module('m', 'm', { ...options, rollout: { strategy: 'Replace', ...options.rollout } })
  expect(await story.until(() => story.isReady('m'), 300)).toBe(true)
  return story
}

/** From now on one unit at a time is removed. */
async function oneByOne(story: Story, text = 'm', rollout: object = {}): Promise<void> {
  await story.module('m', text, { rollout: { strategy: 'Replace', maxUnavailable: 1, ...rollout } })
  await story.pass(10)
}

const isThere = (story: Story, cluster: string): boolean =>
  story.live(cluster, 'configmaps', 'x') !== undefined
const withX = (story: Story, clusters: readonly string[]): string[] =>
  clusters.filter((c) => isThere(story, c))
const moduleOf = (story: Story) => story.manager.hub.modules.store.get({ namespace: NAMESPACE, name: 'm' })
const isGone = (story: Story): boolean => moduleOf(story) === undefined
const condition = (story: Story, type: string): string => {
  const c = moduleOf(story)?.status?.conditions?.find((x) => x.type === type)
  return c ? `${c.status} ${c.reason} ${c.message}` : ''
}
const entryOn = (story: Story, cluster: string) =>
  moduleOf(story)?.status?.rollout?.ledger?.find((e) => e.cluster === cluster)
const reasonsOn = (story: Story, cluster: string): string[] =>
  (story.inventory('m', cluster)?.status?.blockers ?? []).map((b) => b.reason)

const patchModule = async (story: Story, body: object): Promise<void> => {
  must(
    await story.during(
      story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name: 'm' }, body as never, USER),
    ),
  )
}

describe('a cluster that denies the deletion', () => {
  it('fails, the other clusters are emptied, and it is tried again', async () => {
    const clusters = names(3)
    const story = await delivered('denied-removal', clusters)
    await oneByOne(story)
    const allow = denyDeletes(story, 'c1')
    await story.deleteModule('m')
    expect(await story.until(() => withX(story, clusters).join() === 'c1', 60)).toBe(true)
    await story.pass(5)
    const failed = `c1: ConfigMap default/x: ${DENIAL}`
    expect(condition(story, 'Ready')).toBe(
      `False Deleting Deleting: deleted from 2 of 3 clusters; 1 failed (${failed})`,
    )
    expect(condition(story, 'Stalled')).toBe(
      `True RemovalFailed RemovalFailed: 1 of 3 clusters, limit 1: ${failed}`,
    )
    expect(condition(story, 'Reconciling')).toMatch(/^False /)
    expect(story.blockers('m')[0]).toBe(`RemovalFailed: 1 of 3 clusters, limit 1: ${failed}`)
    expect(entryOn(story, 'c1')?.failed).toBe(`ConfigMap default/x: ${DENIAL}`)
    await story.pass(900)
    allow()
    expect(await story.until(() => isGone(story), 305)).toBe(true)
    expect(withX(story, clusters)).toEqual([])
    expect(story.inventories).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('9 of 30: no other removal starts until one of them ends', async () => {
    const clusters = names(30)
    const story = await delivered('denied-many', clusters)
    await oneByOne(story)
    const allow = new Map(clusters.slice(0, 9).map((c) => [c, denyDeletes(story, c)]))
    await story.deleteModule('m')
    await story.pass(2)
    await allowed(story, ['m'])
    const failures = () => (moduleOf(story)?.status?.rollout?.ledger ?? []).filter((e) => e.failed)
    expect(await story.until(() => failures().length === 9, 600)).toBe(true)
    await story.pass(10)
    const left = withX(story, clusters)
    expect(story.blockers('m')[0]).toMatch(
      /^RemovalFailed: 9 of 30 clusters, limit 8: c\d: ConfigMap default\/x: admission webhook/,
    )
    await story.pass(60)
    expect(withX(story, clusters)).toEqual(left)
    const hasOthers = left.length > 9
    expect(condition(story, 'Stalled')).toMatch(/^True RemovalFailed /)
    allow.get('c1')!()
    const touch = { metadata: { annotations: { free: 'yes' } } }
    must(await story.during(story.fleet.clusters.get('c1')!.client.patch(configMapKind, KEY, touch, USER)))
    expect(await story.until(() => withX(story, clusters).length === 8, 300)).toBe(true)
    expect([hasOthers, withX(story, clusters)]).toEqual([true, names(9).slice(1)])
    expect(story.blockers('m')[0]).toMatch(/^RemovalFailed: 8 of 30 clusters, limit 8: /)
    expect(story.fleet.oracles.violations).toEqual([])
  }, 120_000)

  it('Orphan ends its management within 2 s, without the pause of the refusal', async () => {
    const story = await delivered('denied-orphan', ['c1'])
    denyDeletes(story, 'c1')
    await story.deleteModule('m')
    expect(await story.until(() => reasonsOn(story, 'c1').includes('PruneBlocked'), 30)).toBe(true)
    await story.pass(100)
    await patchModule(story, { spec: { apply: { deletionPolicy: 'Orphan' } } })
    expect(await story.until(() => isGone(story), 2)).toBe(true)
    expect(story.live('c1', 'configmaps', 'x')?.metadata.labels).toBeUndefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a removal that cannot end', () => {
  it('a failed hook fails it, the next cluster starts, and it runs again after 5 minutes', async () => {
    const clusters = ['c1', 'c2']
    const text = together(jobHook('backup', 'PreDelete'), X)
    const story = await delivered('failed-hook', clusters, text)
    await oneByOne(story)
    const { world } = story.fleet.clusters.get('c1')!
    const failing = { workload: 'backup', outcome: 'Fail' } as const
    world.fail(failing)
    await story.deleteModule('m')
    expect(
      await story.until(() => !isThere(story, 'c2') && entryOn(story, 'c1')?.failed !== undefined, 120),
    ).toBe(true)
    expect(isThere(story, 'c1')).toBe(true)
    expect(entryOn(story, 'c1')?.failed).toMatch(
      /^hook Job default\/backup \(PreDelete, attempt 1 of 1\) failed/,
    )
    await story.pass(5)
    expect(condition(story, 'Stalled')).toMatch(/^True RemovalFailed /)
    world.heal(failing)
    expect(await story.until(() => isGone(story), 330)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('a foreign finalizer beyond the deadline fails it, and the next cluster starts', async () => {
    const clusters = ['c1', 'c2']
    const story = await delivered('foreign-finalizer', clusters)
    await oneByOne(story, 'm', { removal: { progressDeadlineSeconds: 600 } })
    for (const c of clusters) {
      const body = { metadata: { finalizers: ['example.com/backup'] } }
      must(await story.during(story.fleet.clusters.get(c)!.client.patch(configMapKind, KEY, body, USER)))
    }
    await story.deleteModule('m')
    const isTerminating = (c: string): boolean =>
      story.live(c, 'configmaps', 'x')?.metadata.deletionTimestamp !== undefined
    await story.pass(60)
    expect(clusters.filter(isTerminating)).toHaveLength(1)
    await story.pass(500)
    expect(clusters.filter(isTerminating)).toHaveLength(1)
    expect(await story.until(() => clusters.every(isTerminating), 60)).toBe(true)
    const late = clusters.flatMap((c) => entryOn(story, c)?.failed ?? [])
    expect(late).toEqual([
      'removing for 600s, removal.progressDeadlineSeconds 600: ConfigMap default/x is terminating: example.com/backup',
    ])
    for (const c of clusters) {
      const body = { metadata: { finalizers: null } }
      must(await story.during(story.fleet.clusters.get(c)!.client.patch(configMapKind, KEY, body, USER)))
    }
    expect(await story.until(() => isGone(story), 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

describe('a removal that waits', () => {
  const CONFIRM = X.replace(
    'namespace: default}',
    'namespace: default, annotations: {argocd.argoproj.io/sync-options: "Delete=confirm"}}',
  )

  it('for a person for a day counts towards no limit, and its time stops', async () => {
    const clusters = names(3)
    const story = await delivered('person', clusters, CONFIRM)
    await oneByOne(story)
    await story.deleteModule('m')
    const isAsked = (c: string): boolean => reasonsOn(story, c).includes('PruneConfirmation')
    expect(await story.until(() => clusters.every(isAsked), 120)).toBe(true)
    await story.pass(24 * 3600)
    expect(moduleOf(story)?.status?.rollout?.ledger).toBeUndefined()
    expect(condition(story, 'Ready')).toMatch(
      /^False Deleting Deleting: deleted from 0 of 3 clusters; 3 wait \(c\d: PruneConfirmation: ConfigMap default\/x needs confirmation: .* and 2 more\)$/,
    )
    expect(condition(story, 'Reconciling')).toMatch(/^True /)
    for (const c of clusters)
      must(await story.during(story.fleet.clusters.get(c)!.client.delete(configMapKind, KEY, USER)))
    expect(await story.until(() => isGone(story), 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  }, 60_000)

  it('one failed, one waits, one is gone', async () => {
    const clusters = names(3)
    const story = await delivered('mixed', clusters)
    await oneByOne(story)
    denyDeletes(story, 'c1')
    const confirm = { metadata: { annotations: { 'argocd.argoproj.io/sync-options': 'Delete=confirm' } } }
    must(await story.during(story.fleet.clusters.get('c2')!.client.patch(configMapKind, KEY, confirm, USER)))
    await story.deleteModule('m')
    expect(await story.until(() => !isThere(story, 'c3') && reasonsOn(story, 'c2').length > 0, 60)).toBe(true)
    await story.pass(5)
    expect(condition(story, 'Ready')).toMatch(
      /^False Deleting Deleting: deleted from 1 of 3 clusters; 1 failed \(c1: .*\), 1 waits \(c2: PruneConfirmation: .*\)$/,
    )
    expect(condition(story, 'Stalled')).toBe('False NotStalled ')
  })

  it('under a Hold of a deselected cluster', async () => {
    const clusters = names(2)
    const story = await delivered('held-removal', clusters)
    await oneByOne(story)
    const { client } = story.fleet.clusters.get('c1')!
    const finalizers = (list: readonly string[] | null) =>
      story.during(client.patch(configMapKind, KEY, { metadata: { finalizers: list } } as never, USER))
    must(await finalizers(['example.com/backup']))
    await patchModule(story, { spec: { targets: { clusterSelector: null, clusters: ['c2'] } } })
    const isTerminating = () => story.live('c1', 'configmaps', 'x')?.metadata.deletionTimestamp !== undefined
    expect(await story.until(isTerminating, 60)).toBe(true)
    expect(entryOn(story, 'c1')?.kind).toBe('Remove')
    const hold = {
      apiVersion: 'lockstep.dev/v1alpha1',
      kind: 'Hold',
      metadata: { name: 'h', namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module', name: 'm' }, action: 'Suspend', reason: 'audit' },
    }
    must(await story.during(story.fleet.hub.create(holdKind, hold as never, USER)))
    expect(await story.until(() => entryOn(story, 'c1') === undefined, 60)).toBe(true)
    await story.pass(3600)
    expect(story.blockers('m').join('\n')).toMatch(/Held: suspended by Hold h/)
    must(await finalizers(null))
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)))
    expect(await story.until(() => story.inventory('m', 'c1') === undefined, 60)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
