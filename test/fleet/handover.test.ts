/** Objects that change hands between Modules of a namespace: the same objects before and after, and no request deletes one. */
import { describe, expect, it } from 'vitest'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { clusterSecret, must } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, type ModuleOptions, Story } from './steps.ts'

const namespaceText = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
const inShop = (name: string, value: string) =>
  configManifest(name, value).replace('namespace: default', 'namespace: shop')
const claimText = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: shop}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`
const webText = (version: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "registry.example.com/web:${version}"}]
`
const shop = (version: string) =>
  [
    namespaceText,
    claimText,
    inShop('settings', version),
    webText(version),
    inShop(`only-${version}`, '1'),
  ].join('---\n')

const SHARED = [
  ['namespaces', '', 'shop'],
  ['persistentvolumeclaims', 'shop', 'data'],
  ['configmaps', 'shop', 'settings'],
  ['deployments.apps', 'shop', 'web'],
] as const

const byRing = (ring: string): ModuleOptions => ({ targets: { clusterSelector: { matchLabels: { ring } } } })

async function relabel(story: Story, cluster: string, labels: Record<string, string>): Promise<void> {
  must(
    await story.during(
      story.fleet.hub.apply(secretKind, clusterSecret(cluster, labels), { ...USER, force: true }),
    ),
  )
}

type Place = readonly [resource: string, namespace: string, name: string]

const uidOf = (story: Story, cluster: string, [resource, namespace, name]: Place): string | undefined =>
  story.fleet.clusters.get(cluster)!.api.local.get(resource, namespace, name)?.metadata.uid

const uidsOf = (story: Story, cluster: string, places: readonly Place[] = SHARED) =>
  places.map((p) => uidOf(story, cluster, p))

const deletes = (story: Story, cluster: string, from: number): string[] =>
  story.writes(cluster, from).filter((w) => w.startsWith('delete '))

const holdersOf = (story: Story, cluster: string, places: readonly Place[] = SHARED) =>
  places.map(([resource, namespace, name]) => {
    const live = story.fleet.clusters.get(cluster)!.api.local.get(resource, namespace, name)
    return live?.metadata.labels?.['lockstep.dev/unit']
  })

/** c1 in ring blue at shop-v1, with shop-v2 for ring green. */
async function rings(name: string): Promise<Story> {
  const story = await Story.begin(name, ['c1', 'c2', 'c3'])
  await relabel(story, 'c1', { ring: 'blue' })
  await story.config('v1', shop('1.0'))
  await story.config('v2', shop('2.0'))
  await story.module('shop-v1', 'v1', byRing('blue'))
  await story.module('shop-v2', 'v2', byRing('green'))
  expect(await story.until(() => story.isReady('shop-v1'))).toBe(true)
  return story
}

const writesTo = (story: Story, place: Place, from: number): number => {
  const [resource, namespace, name] = place
  const key = namespace === '' ? name : `${namespace}/${name}`
  return story.writes('c1', from).filter((w) => w.endsWith(` ${resource} ${key}`)).length
}

describe('a label moves a cluster between two Modules with the same objects', () => {
  it('there and back: all four are kept, each with one patch of its marks and one apply (acceptance 1)', async () => {
    const story = await rings('relabel')
    const before = uidsOf(story, 'c1')
    for (const [ring, module, version, old] of [
      ['green', 'shop-v2', '2.0', '1.0'],
      ['blue', 'shop-v1', '1.0', '2.0'],
    ] as const) {
      const from = story.fleet.commits.length
      await relabel(story, 'c1', { ring })
      const isMoved = () =>
        story.isReady(module) && uidOf(story, 'c1', ['configmaps', 'shop', `only-${old}`]) === undefined
      expect(await story.until(isMoved, 60)).toBe(true)
      expect(uidsOf(story, 'c1')).toEqual(before)
      expect(deletes(story, 'c1', from)).toEqual([`delete configmaps shop/only-${old}`])
      expect(holdersOf(story, 'c1')).toEqual(SHARED.map(() => `m.platform.${module}`))
      for (const place of SHARED) expect(writesTo(story, place, from), place.join(' ')).toBeLessThanOrEqual(2)
      const web = story.live('c1', 'deployments.apps', 'web', 'shop') as { spec?: object } | undefined
      expect(JSON.stringify(web?.spec)).toContain(`web:${version}`)
      expect(await story.until(() => story.inventories.length === 1, 60)).toBe(true)
    }
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

/** Two Modules of the same objects: `hello` on all clusters, `hello2` as its successor. */
const CLUSTERS = ['c1', 'c2', 'c3'] as const

describe('a rename on three clusters (acceptance 4)', () => {
  for (const [what, seconds] of [
    ['applied and deleted', 0],
    ['deleted after 10 minutes', 600],
  ] as const)
    it(what, async () => {
      const story = await Story.begin(`rename ${seconds}`, CLUSTERS)
      await story.config('all', shop('1.0'))
      await story.module('hello', 'all')
      expect(await story.until(() => story.isReady('hello'))).toBe(true)
      const before = CLUSTERS.map((c) => uidsOf(story, c))
      const from = story.fleet.commits.length
      await story.module('hello2', 'all')
      await story.pass(seconds)
      if (seconds > 0) {
        expect(story.see('hello2').status?.clusters?.blocked).toBe(3)
        expect(story.blockers('hello2')).toEqual([
          expect.stringMatching(
            /^OwnedByAnother: .* belongs to Module platform\/hello; .*Module hello in spec\.apply\.takeOverFrom$/,
          ),
        ])
        expect(story.see('hello2').status?.rollout?.phase).not.toBe('Halted')
      }
      await story.deleteModule('hello')
      const isDone = () => story.isReady('hello2') && story.inventories.length === 3
      expect(await story.until(isDone, 60)).toBe(true)
      expect(CLUSTERS.map((c) => uidsOf(story, c))).toEqual(before)
      expect(CLUSTERS.flatMap((c) => deletes(story, c, from))).toEqual([])
      expect(story.fleet.oracles.violations).toEqual([])
    })

  it('with a dependent, whose edge moves to the new name', async () => {
    const story = await Story.begin('rename dependent', CLUSTERS)
    await story.config('all', shop('1.0'))
    await story.config('app', configManifest('app', '1'))
    await story.module('hello', 'all')
    await story.module('app', 'app', { dependsOn: ['hello'] })
    expect(await story.until(() => story.isReady('hello') && story.isReady('app'))).toBe(true)
    const before = CLUSTERS.map((c) => uidsOf(story, c))
    const from = story.fleet.commits.length
    await story.module('hello2', 'all')
    await story.deleteModule('hello')
    // The dependent holds the removal of the old name, and not the new one.
    expect(await story.until(() => story.isReady('hello2'), 60)).toBe(true)
    expect(story.blockers('hello').join()).toContain('DependentsRemain')
    await story.module('app', 'app', { dependsOn: ['hello2'] })
    expect(await story.until(() => story.isReady('app') && story.inventories.length === 6, 60)).toBe(true)
    expect(CLUSTERS.map((c) => uidsOf(story, c))).toEqual(before)
    expect(CLUSTERS.flatMap((c) => deletes(story, c, from))).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
