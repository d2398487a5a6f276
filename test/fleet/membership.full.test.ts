/** Clusters that come and go by their labels. */
import { expect, it } from 'vitest'
import { eventKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/index.ts'
import { ALLOW_REMOVAL_ANNOTATION, BUCKET_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { bucketOf } from '../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 12 }, (_, i) => `c${i}`)
const FORCE = { ...USER, force: true } as const
const TARGETS = { targets: { clusterSelector: { matchLabels: { env: 'prod' } } } }

async function label(story: Story, cluster: string, env: string): Promise<void> {
  must(await story.during(story.fleet.hub.apply(secretKind, clusterSecret(cluster, { env }), FORCE)))
}

const onThem = (story: Story): number =>
  CLUSTERS.filter((c) => story.live(c, 'configmaps', 'a') !== undefined).length

async function begun(name: string): Promise<Story> {
  const story = await Story.begin(name, CLUSTERS)
  await story.config('v1', configManifest('a', '1'))
  await story.module('web', 'v1', { ...TARGETS, rollout: { strategy: 'Replace', maxUnavailable: 2 } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  return story
}

async function told(story: Story): Promise<unknown[]> {
  const events = must(await story.during(story.fleet.hub.list(eventKind, { purpose: 'user' })))
  return events.items.filter((e) => e.reason === 'SelectorChanged').map((e) => e.note)
}

const deletes = (story: Story, since: number) =>
  story.fleet.commits
    .slice(since)
    .filter((c) => c.resource === 'configmaps' && c.cluster !== 'hub' && !c.next)

it('most of them at once: nothing goes until somebody allows it, then they leave within the budget', async () => {
  const story = await begun('too many')
  const since = story.fleet.commits.length
  // A slip of the pen in the selector: one event, one decision.
  const selector = { matchExpressions: [{ key: 'env', operator: 'In', values: ['prd'] }] }
  const targets = { clusterSelector: selector, clusters: ['c0', 'c1'] }
  await story.module('web', 'v1', { targets, rollout: { strategy: 'Replace', maxUnavailable: 2 } })
  await story.pass(600)
  expect(deletes(story, since)).toEqual([])
  expect(onThem(story)).toBe(12)
  const { generation } = story.see('web').metadata
  expect(story.see('web').status?.blockers).toMatchObject([
    {
      reason: 'RemovalTooLarge',
      message: `10 of 12 clusters to remove at once; allow once with annotation lockstep.dev/allow-removal: "${generation}"`,
      count: 10,
    },
  ])
  expect(await told(story)).toEqual(['deselected 10 clusters, selected 0'])
  const allow = async (text: string) => {
    const patch = { metadata: { annotations: { [ALLOW_REMOVAL_ANNOTATION]: text } } }
    must(
      await story.during(
        story.fleet.hub.patch(moduleKind, { namespace: NAMESPACE, name: 'web' }, patch, USER),
      ),
    )
  }
  await allow(String(generation! - 1))
  await story.pass(60)
  expect(deletes(story, since)).toEqual([])
  await allow(String(generation))
  let most = 0
  const done = () => {
    most = Math.max(most, story.see('web').status?.rollout?.ledger?.length ?? 0)
    return onThem(story) === 2
  }
  expect(await story.until(done)).toBe(true)
  expect(most).toBeLessThanOrEqual(2)
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  expect(story.fleet.oracles.violations).toEqual([])
})

const allowRemoval = async (story: Story, text: string): Promise<void> => {
  const patch = { metadata: { annotations: { [ALLOW_REMOVAL_ANNOTATION]: text } } }
  const key = { namespace: NAMESPACE, name: 'web' }
  must(await story.during(story.fleet.hub.patch(moduleKind, key, patch, USER)))
}

it.each([0.02, 0.1, 5])(
  'one label after the other, %d s apart: half of them may go, then it is held',
  async (gap) => {
    const story = await begun(`one by one ${gap}`)
    for (const c of CLUSTERS.slice(1)) {
      await label(story, c, 'dev')
      await story.pass(gap)
    }
    await story.pass(gap < 1 ? 1500 : 300)
    expect(onThem(story)).toBeGreaterThanOrEqual(6)
    expect(story.blockers('web').join()).toMatch(/RemovalTooLarge: 11 of 12 clusters to remove at once/)
    const there = onThem(story)
    story.manager.stop()
    story.manager = story.fleet.startController()
    await story.pass(900)
    expect(onThem(story)).toBe(there)
    const [, value] = /allow-removal: "([^"]+)"/.exec(story.blockers('web').join()) ?? []
    await allowRemoval(story, value!)
    expect(await story.until(() => onThem(story) === 1, 600)).toBe(true)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  },
)

it('an allowance is good for what it was given for, and for nothing that comes later', async () => {
  const story = await begun('once')
  const { generation } = story.see('web').metadata
  await allowRemoval(story, String(generation))
  await story.pass(3600)
  story.manager.stop()
  for (const c of CLUSTERS.slice(0, 8)) await label(story, c, 'dev')
  story.manager = story.fleet.startController()
  await story.pass(600)
  expect(onThem(story)).toBe(12)
  expect(story.blockers('web')).toEqual([
    `RemovalTooLarge: 8 of 12 clusters to remove at once; allow once with annotation lockstep.dev/allow-removal: "${generation}-2"`,
  ])
  await allowRemoval(story, `${generation}-2`)
  await story.pass(1)
  // Nobody meant these.
  await label(story, 'c8', 'dev')
  await label(story, 'c9', 'dev')
  await story.pass(900)
  expect(story.blockers('web').join()).toContain('RemovalTooLarge: 10 of 12 clusters to remove at once (')
  expect(onThem(story)).toBeGreaterThanOrEqual(4)
  for (const c of ['c8', 'c9']) await label(story, c, 'prod')
  expect(await story.until(() => onThem(story) === 4, 600)).toBe(true)
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  await story.pass(700)
  expect(story.see('web').status?.rollout).toMatchObject({ removals: { allowance: `${generation}-2` } })
})

it('a few of them: told of before the first one goes', async () => {
  const story = await begun('a few')
  await label(story, 'c2', 'dev')
  expect(await story.until(() => onThem(story) === 11)).toBe(true)
  expect(await told(story)).toEqual(['deselected 1 cluster, selected 0'])
  const at = (is: (c: (typeof story.fleet.commits)[number]) => boolean): number =>
    story.fleet.commits.findIndex(is)
  const isTold = at((c) => c.resource.startsWith('events') && c.next?.reason === 'SelectorChanged')
  const isLeaving = at((c) => c.cluster === 'c2' && c.resource === 'configmaps' && !c.next)
  expect([isTold > 0, isTold < isLeaving]).toEqual([true, true])
  expect(await story.until(() => story.isReady('web'))).toBe(true)
})

it('all that is about a cluster is in its bucket, from the first write on', async () => {
  const story = await begun('buckets')
  const { hub } = story.manager
  const labelled = [...hub.inventories.store.all(), ...hub.assemblages.store.all()]
  expect(labelled).toHaveLength(2 * CLUSTERS.length)
  for (const o of labelled)
    expect(o.metadata.labels?.[BUCKET_LABEL]).toBe(bucketOf(NAMESPACE, o.spec.clusterRef.name))
})
