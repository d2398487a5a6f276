/** Approvals that were taken back, and a cache that has not heard of it. */
import { describe, expect, it } from 'vitest'
import { approvalKind, holdKind } from '../../src/api/registry.ts'
import { API_VERSION } from '../../src/api/version.ts'
import { HeldWatches } from './heldwatches.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { liveOf, publish, ready, said, USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = ['c0', 'c1']
const KEY = { namespace: NAMESPACE, name: 'yes' }
const PATH = `/apis/${API_VERSION}/namespaces/${NAMESPACE}/approvals/yes`

type Point = 'Before' | 'After'

const stagesOf = (point: Point) => [
  {
    ...{ name: 'canary', clusters: ['c0'], soakSeconds: 60 },
    ...(point === 'After' ? { approval: 'Required' } : {}),
  },
  { name: 'rest', clusterSelector: {}, ...(point === 'Before' ? { approvalBefore: 'Required' } : {}) },
]

const at = (story: Story, cluster: string): unknown =>
  (story.live(cluster, 'configmaps', 'a')?.data as { value?: string } | undefined)?.value
const names = (story: Story): string[] =>
  [...story.manager.hub.approvals.store.all()].map((a) => a.metadata.name)

async function approve(story: Story, point: Point): Promise<void> {
  const body = {
    ...{ apiVersion: API_VERSION, kind: 'Approval', metadata: KEY },
    spec: {
      targetRef: { kind: 'Module' as const, name: 'web' },
      ...{ stage: point === 'After' ? 'canary' : 'rest', point },
      ...{ revisionHash: story.see('web').status!.currentRevision!, approvedBy: 'ann' },
    },
  }
  must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
}

/** The canary has v2 and soaks; an Approval that was given early is in the cache. */
async function soaking(name: string, point: Point) {
  const story = await Story.begin(`${name} ${point}`, CLUSTERS)
  for (const v of ['v1', 'v2']) await story.config(v, configManifest('a', v))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const watches = new HeldWatches()
  story.manager.stop()
  story.manager = watches.startController(story.fleet)
  await story.pass(5)
  await story.module('web', 'v2', { rollout: { strategy: 'Staged', stages: stagesOf(point) } })
  expect(await story.until(() => at(story, 'c0') === 'v2')).toBe(true)
  await approve(story, point)
  expect(await story.until(() => names(story).length === 1, 5)).toBe(true)
  return { story, watches }
}

describe.each(['After', 'Before'] as const)('an Approval, point %s', (point) => {
  it('that was taken back opens nothing, though the cache still has it', async () => {
    const { story, watches } = await soaking('stale', point)
    watches.hold('approvals')
    must(await story.during(story.fleet.hub.delete(approvalKind, KEY, USER)))
    const from = watches.requests.length
    await story.pass(300)
    expect([names(story), at(story, 'c1')]).toEqual([['yes'], 'v1'])
    // It believed its cache as far as asking: the live read is what kept the stage shut.
    expect(watches.requests.slice(from)).toContain(`GET ${PATH}`)
    expect(story.blockers('web')[0]).toMatch(/^AwaitingApproval: stage /)
    watches.hold()
    await story.pass(60)
    expect([names(story), at(story, 'c1')]).toEqual([[], 'v1'])
    await approve(story, point)
    expect(await story.until(() => at(story, 'c1') === 'v2')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('that nobody can read just now opens nothing until it can be read', async () => {
    const { story, watches } = await soaking('unread', point)
    watches.forbid(PATH)
    await story.pass(120)
    expect(at(story, 'c1')).toBe('v1')
    watches.forbid()
    expect(await story.until(() => at(story, 'c1') === 'v2', 400)).toBe(true)
  })

  it('is read once at its use, and taken back later it changes nothing', async () => {
    const { story, watches } = await soaking('used', point)
    expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
    expect(watches.requests.filter((r) => r === `GET ${PATH}`)).toHaveLength(1)
    const from = story.fleet.commits.length
    must(await story.during(story.fleet.hub.delete(approvalKind, KEY, USER)))
    await story.pass(60)
    expect([story.isReady('web'), story.writes('c1', from)]).toEqual([true, []])
  })
})

describe('an Approval of deletions', () => {
  const OPTIONS = 'argocd.argoproj.io/sync-options'

  it('that was taken back deletes nothing, though the cache still has it', async () => {
    const story = await Story.begin('stale prune', ['edge'])
    await publish(story, [said('x', '1', OPTIONS, 'Prune=confirm'), configManifest('stays', '1')])
    await ready(story)
    const watches = new HeldWatches()
    story.manager.stop()
    story.manager = watches.startController(story.fleet)
    await story.pass(5)
    await publish(story, [configManifest('stays', '2')])
    const isAsked = () => story.blockers('m')[0]?.startsWith('PruneConfirmation') === true
    expect(await story.until(isAsked)).toBe(true)
    // Nothing is written while the consent comes and goes.
    const hold = {
      ...{ apiVersion: API_VERSION, kind: 'Hold', metadata: { name: 'h', namespace: NAMESPACE } },
      spec: { targetRef: { kind: 'Module' as const, name: 'm' }, reason: 'test' },
    }
    must(await story.during(story.fleet.hub.apply(holdKind, hold, { ...USER, force: true })))
    const consent = {
      ...{ apiVersion: API_VERSION, kind: 'Approval', metadata: KEY },
      spec: {
        ...{ targetRef: { kind: 'Module' as const, name: 'm' }, stage: 'prune', point: 'After' as const },
        ...{ revisionHash: story.inventory('m', 'edge')!.spec.admitted!.revision, approvedBy: 'ann' },
      },
    }
    must(await story.during(story.fleet.hub.create(approvalKind, consent, USER)))
    expect(await story.until(() => names(story).length === 1, 5)).toBe(true)
    watches.hold('approvals')
    must(await story.during(story.fleet.hub.delete(approvalKind, KEY, USER)))
    must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)))
    const from = watches.requests.length
    await story.pass(60)
    expect([names(story), liveOf(story)?.data]).toEqual([['yes'], { value: '1' }])
    expect(watches.requests.slice(from)).toContain(`GET ${PATH}`)
    must(await story.during(story.fleet.hub.create(approvalKind, consent, USER)))
    expect(await story.until(() => liveOf(story) === undefined, 30)).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})
