/** Which real cluster a name stands for: made anew, mistaken, accepted, known to several. */
import { describe, expect, it } from 'vitest'
import { ORPHANED_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { adviceOf } from '../../packages/lockstep/src/api/reasons/index.ts'
import { InventoryStory, kubeSystemOf, UP } from './inventorystory.ts'
import { configManifest, deploymentManifest } from './steps.ts'

async function delivered(name: string) {
  const story = await InventoryStory.open(name, ['c0'])
  const kind = await story.installClusterApi()
  await story.cluster(kind, 'c0')
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web')
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return { story, kind, from: story.fleet.commits.length }
}

const orphans = (story: InventoryStory): string[] =>
  story.inventories.filter((i) => i.metadata.annotations?.[ORPHANED_ANNOTATION]).map((i) => i.metadata.name)

describe('another cluster', () => {
  it('a Cluster that was made anew is a new one at once; what the old one had is kept as an orphan', async () => {
    const { story, kind, from } = await delivered('anew')
    const old = story.inventory('web', 'c0')!
    await story.remove(kind, 'c0')
    await story.pass(5)
    const other = story.replace('c0')
    await story.cluster(kind, 'c0')
    const isThere = () => other.local.get('configmaps', 'default', 'web') !== undefined
    expect(await story.until(isThere, 60)).toBe(true)
    expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
    const now = story.inventory('web', 'c0')!
    expect(now.metadata.uid).not.toBe(old.metadata.uid)
    expect(now.spec.clusterUid).not.toBe(old.spec.clusterUid)
    expect(orphans(story)).toEqual([`m.web.c0.${old.spec.clusterUid.slice(0, 8)}`])
    const copy = story.inventories.find((i) => i.metadata.name === orphans(story)[0])!
    expect(copy.spec.objects).toEqual(old.spec.objects)
    expect(story.writes('c0', from)).toEqual([])
    expect(story.live('c0', 'configmaps', 'web')).toBeDefined()
  })

  it('the same object leads to another cluster: nothing is written until somebody accepts it', async () => {
    const { story, from } = await delivered('accept')
    const before = story.kubeSystem('c0')
    const other = story.replace('c0')
    story.restart()
    await story.pass(30)
    const uid = kubeSystemOf(other)
    const said = story.blockers('web')[0]
    expect(said).toContain(
      `IdentityChanged: cluster c0 has another identity: kube-system ${uid}, recorded ${before}`,
    )
    const blocker = story.see('web').status?.blockers?.find((b) => b.reason === 'IdentityChanged')
    expect(adviceOf(blocker!)).toContain('lockstep cluster accept c0')
    expect(other.local.get('configmaps', 'default', 'web')).toBeUndefined()
    await story.accept('c0', 'somebody-else')
    await story.pass(30)
    expect(other.local.get('configmaps', 'default', 'web')).toBeUndefined()
    await story.accept('c0', uid)
    expect(await story.until(() => other.local.get('configmaps', 'default', 'web') !== undefined, 60)).toBe(
      true,
    )
    expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
    expect(orphans(story)).toEqual([`m.web.c0.${before.slice(0, 8)}`])
    expect(story.writes('c0', from)).toEqual([])
  })

  it('a kubeconfig that leads elsewhere in the middle of a rollout: nothing is written there', async () => {
    const story = await InventoryStory.open('elsewhere', ['c0', 'c1', 'c9'])
    const kind = await story.installClusterApi()
    for (const c of ['c0', 'c1']) await story.cluster(kind, c)
    await story.config('web', deploymentManifest('web', 'web:1'))
    await story.module('web', 'web')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await story.config('web', deploymentManifest('web', 'web:2'))
    const { c0, c9 } = { c0: story.kubeSystem('c0'), c9: story.kubeSystem('c9') }
    await story.kubeconfig('c0', 'c9')
    await story.pass(120)
    expect(story.writes('c9')).toEqual([])
    const said = story.blockers('web').find((b) => b.startsWith('IdentityChanged: '))
    expect(said).toContain(`kube-system ${c9}, recorded ${c0}`)
    await story.kubeconfig('c0', 'c0')
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
    expect(story.writes('c9')).toEqual([])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('also in the moment after the first contact', async () => {
    const story = await InventoryStory.open('first', ['c0', 'c9'])
    const kind = await story.installClusterApi()
    await story.cluster(kind, 'c0')
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    expect(await story.until(() => story.inventory('web', 'c0') !== undefined, 30)).toBe(true)
    await story.kubeconfig('c0', 'c9')
    await story.pass(60)
    expect(story.writes('c9')).toEqual([])
    expect(story.blockers('web')[0]).toMatch(/^IdentityChanged: /)
  })
})

describe('one cluster that two inventories know', () => {
  async function twins(name: string, labels?: Record<string, string>) {
    const found = await delivered(name)
    await found.story.argo('argo-c0', 'c0', { bearerToken: 't' }, labels)
    await found.story.pass(30)
    return found
  }

  it('is one unit, and says so', async () => {
    const { story, from } = await twins('twins')
    expect(story.see('web').status?.clusters).toMatchObject({ total: 1, ready: 1 })
    expect(story.blockers('web')).toEqual([
      'DuplicateOf: Secret platform/argo-c0 is the same cluster as Cluster platform/c0',
    ])
    expect(story.isReady('web')).toBe(true)
    expect(story.inventories).toHaveLength(1)
    expect(story.writes('c0', from)).toEqual([])
  })

  it('the one with precedence goes: the other one takes over without a write, and delivers the next version', async () => {
    const { story, kind, from } = await twins('handover')
    await story.remove(kind, 'c0')
    await story.pass(60)
    expect(story.isReady('web')).toBe(true)
    expect(story.blockers('web')).toEqual([])
    expect(story.writes('c0', from)).toEqual([])
    expect(story.inventories.map((i) => i.metadata.name)).toEqual(['m.web.c0'])
    expect(orphans(story)).toEqual([])
    story.restart()
    await story.pass(60)
    expect(story.writes('c0', from)).toEqual([])
    await story.config('web', configManifest('web', '2'))
    expect(await story.until(() => story.writes('c0', from).length > 0, 30)).toBe(true)
    expect(story.writes('c0', from)).toEqual(['apply configmaps default/web'])
    await story.cluster(kind, 'c0')
    expect(await story.until(() => story.blockers('web').some((b) => b.startsWith('DuplicateOf')), 30)).toBe(
      true,
    )
    expect(story.writes('c0', from)).toEqual(['apply configmaps default/web'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('that the other one has other labels removes nothing; what is deleted is', async () => {
    const { story, kind, from } = await delivered('labels')
    await story.module('web', 'web', { targets: { clusterSelector: { matchLabels: { env: 'prod' } } } })
    // Somebody has to know that it is the same cluster.
    await story.config('all', configManifest('all', '1'))
    await story.module('all', 'all')
    await story.argo('argo-c0', 'c0', { bearerToken: 't' }, {})
    expect(await story.until(() => story.isReady('all'), 60)).toBe(true)
    await story.remove(kind, 'c0')
    await story.pass(120)
    expect(story.writes('c0', from)).toEqual(['create configmaps default/all'])
    expect(story.isReady('all')).toBe(true)
    await story.deleteModule('web')
    expect(await story.until(() => story.live('c0', 'configmaps', 'web') === undefined, 30)).toBe(true)
  })

  it('seen for the first time at one moment: delivered once', async () => {
    const story = await InventoryStory.open('both', ['c0'])
    const kind = await story.installClusterApi()
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    await story.argo('a', 'c0')
    await story.kubeconfig('z', 'c0')
    await story.object(kind, 'z', UP)
    expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
    await story.pass(60)
    expect(story.inventories).toHaveLength(1)
    expect(story.blockers('web')).toEqual([
      'DuplicateOf: Secret platform/a is the same cluster as Cluster platform/z',
    ])
    expect(story.writes('c0')).toEqual(['create configmaps default/web'])
  })
})

it('two clusters with one name in two inventories: each is delivered to, the later one under a name with a hash', async () => {
  const story = await InventoryStory.open('names', ['c0', 'c1'])
  const kind = await story.installClusterApi()
  await story.cluster(kind, 'eu', 'c0')
  await story.argo('eu', 'c1')
  await story.config('web', configManifest('web', '1'))
  await story.module('web', 'web', { targets: { clusters: ['eu'] } })
  expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
  for (const c of ['c0', 'c1']) expect(story.live(c, 'configmaps', 'web')).toBeDefined()
  const names = story.inventories.map((i) => i.spec.clusterRef).sort((a, b) => (a.name < b.name ? -1 : 1))
  expect(names[0]).toEqual({ kind: 'ClusterAPI', name: 'eu' })
  expect(names[1]).toEqual({ kind: 'ArgoCD', name: expect.stringMatching(/^eu-[0-9a-f]{6}$/) })
  const from = story.fleet.commits.length
  await story.remove(kind, 'eu')
  await story.pass(60)
  for (const c of ['c0', 'c1']) expect(story.writes(c, from)).toEqual([])
})
