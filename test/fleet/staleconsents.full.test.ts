/** Approvals that were taken back, and a cache that has not heard of it. */
import { describe, expect, it } from 'vitest'
import { short10 } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
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
    name: 'canary',
    clusters: ['c0'],
    soakSeconds: 60,
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
    apiVersion: API_VERSION,
    kind: 'Approval',
    metadata: KEY,
    spec: {
      targetRef: { kind: 'Module' as const, name: 'web' },
      stage: point === 'After' ? 'canary' : 'rest',
      point,
      revisionHash: story.see('web').status!.currentRevision!,
      approvedBy: 'ann',
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
    // After 150 s of silence the cache lists, and knows.
    await story.pass(140)
    expect([names(story), at(story, 'c1')]).toEqual([['yes'], 'v1'])
    // It believed its cache as far as asking: the live read is what kept the stage shut.
    expect(watches.requests.slice(from)).toContain(`GET ${PATH}`)
    expect(story.blockers('web')[0]).toMatch(/^AwaitingApproval: stage \w+ waits for approval: /)
    watches.hold()
    await story.pass(60)
    expect([names(story), at(story, 'c1')]).toEqual([[], 'v1'])
    await approve(story, point)
    expect(await story.until(() => at(story, 'c1') === 'v2')).toBe(true)
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('that may not be read opens nothing, says which right is missing, and counts once that is there', async () => {
    const { story, watches } = await soaking('unread', point)
    watches.forbid(PATH)
    await story.pass(120)
    expect(at(story, 'c1')).toBe('v1')
    const stage = point === 'After' ? 'canary' : 'rest'
    expect(story.blockers('web')[0]).toBe(
      `ApprovalUnreadable: stage ${stage}: Approval yes cannot be verified: may not be read: User "lockstep" cannot read ${PATH}; grant this controller get on approvals.lockstep.dev in namespace ${NAMESPACE}, as lockstep install does`,
    )
    // It asks, and not all the time.
    const from = watches.requests.length
    await story.pass(60)
    const asked = watches.requests.slice(from).filter((r) => r === `GET ${PATH}`)
    expect(asked.length).toBeGreaterThanOrEqual(5)
    expect(asked.length).toBeLessThanOrEqual(8)
    watches.forbid()
    expect(await story.until(() => at(story, 'c1') === 'v2', 15)).toBe(true)
    expect(await story.until(() => story.isReady('web'), 60)).toBe(true)
    expect(story.blockers('web')).toEqual([])
  })

  it('is read once at its use, and taken back later it changes nothing', async () => {
    const { story, watches } = await soaking('used', point)
    expect(await story.until(() => story.isReady('web'), 300)).toBe(true)
    expect(watches.requests.filter((r) => r === `GET ${PATH}`)).toHaveLength(1)
    await story.pass(5)
    const from = story.fleet.commits.length
    must(await story.during(story.fleet.hub.delete(approvalKind, KEY, USER)))
    await story.pass(60)
    expect([story.isReady('web'), story.writes('c1', from)]).toEqual([true, []])
    const [stage, done] = point === 'After' ? ['canary', 'completed'] : ['rest', 'opened']
    const revision = short10(story.see('web').status!.currentRevision!)
    // Nothing is written but that that is so.
    const written = story.fleet.commits.slice(from).flatMap(({ next }) => next ?? [])
    const said = written.map(({ kind, reason, note, message }) => [kind, reason, note ?? message])
    const text = `deleted Approval yes after stage ${stage} ${done} with revision ${revision}, which stays approved; to stop new starts run: lockstep rollout pause web`
    expect(said[0]).toEqual(['Event', 'ApprovalDeletedLate', text])
    expect(new Set(said.map((x) => x.join())).size).toBe(1)
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
      apiVersion: API_VERSION,
      kind: 'Hold',
      metadata: { name: 'h', namespace: NAMESPACE },
      spec: { targetRef: { kind: 'Module' as const, name: 'm' }, reason: 'test' },
    }
    must(await story.during(story.fleet.hub.apply(holdKind, hold, { ...USER, force: true })))
    const consent = {
      apiVersion: API_VERSION,
      kind: 'Approval',
      metadata: KEY,
      spec: {
        targetRef: { kind: 'Module' as const, name: 'm' },
        stage: 'prune',
        point: 'After' as const,
        revisionHash: story.inventory('m', 'edge')!.spec.admitted!.revision,
        approvedBy: 'ann',
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

  it('that may not be read deletes nothing, says so, and hurts no other object', async () => {
    const story = await Story.begin('unread prune', ['edge'])
    const asked = said('x', '1', OPTIONS, 'Prune=confirm')
    await publish(story, [asked, configManifest('goes', '1'), configManifest('stays', '1')])
    await ready(story)
    const watches = new HeldWatches()
    story.manager.stop()
    story.manager = watches.startController(story.fleet)
    await story.pass(5)
    watches.forbid(PATH)
    await publish(story, [configManifest('stays', '2'), configManifest('goes', '1')])
    const isAsked = () => story.blockers('m')[0]?.startsWith('PruneConfirmation') === true
    expect(await story.until(isAsked)).toBe(true)
    const consent = {
      apiVersion: API_VERSION,
      kind: 'Approval',
      metadata: KEY,
      spec: {
        targetRef: { kind: 'Module' as const, name: 'm' },
        stage: 'prune',
        point: 'After' as const,
        revisionHash: story.inventory('m', 'edge')!.spec.admitted!.revision,
        approvedBy: 'ann',
      },
    }
    must(await story.during(story.fleet.hub.create(approvalKind, consent, USER)))
    const isSaid = () => story.blockers('m')[0]?.startsWith('PruneBlocked') === true
    expect(await story.until(isSaid, 30)).toBe(true)
    expect(story.blockers('m')[0]).toMatch(
      /^PruneBlocked: ConfigMap default\/x on [a-z]+ cannot be removed: the Approval may not be read: /,
    )
    expect(story.blockers('m')[0]).toContain('grant this controller get on approvals.lockstep.dev')
    const from = watches.requests.length
    await story.pass(60)
    expect([isSaid(), liveOf(story)?.data]).toEqual([true, { value: '1' }])
    expect(watches.requests.slice(from).filter((r) => r === `GET ${PATH}`).length).toBeLessThanOrEqual(8)
    watches.forbid()
    expect(await story.until(() => liveOf(story) === undefined, 30)).toBe(true)
    await ready(story)
    expect(story.fleet.oracles.violations).toEqual([])
  })
})

it('a stage whose last member has been well for long enough passes with a consent that was there before', async () => {
  const story = await Story.begin('consent and readiness', CLUSTERS)
  for (const v of ['v1', 'v2']) await story.config(v, configManifest('a', v))
  await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
  expect(await story.until(() => story.isReady('web'))).toBe(true)
  const stages = [
    { name: 'canary', clusters: ['c0'], approval: 'Required' },
    { name: 'rest', clusterSelector: {} },
  ]
  await story.module('web', 'v2', { rollout: { strategy: 'Staged', stages, minReadySeconds: 20 } })
  expect(await story.until(() => at(story, 'c0') === 'v2')).toBe(true)
  await approve(story, 'After')
  // The look that finds it well for long enough reads the consent, and looks once more: its clock must not have moved.
  expect(await story.until(() => at(story, 'c1') === 'v2', 40), story.blockers('web').join()).toBe(true)
})
