/** Rollouts in stages, with people in them, on clusters that deliver. */
import { describe, expect, it } from 'vitest'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { TIER } from '../tier.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { USER } from './single.ts'
import { stages } from './starts/stages.ts'
import { forked } from './starts/start.ts'
import { configManifest, Story } from './steps.ts'

const CLUSTERS = Array.from({ length: 6 }, (_, i) => `c${i}`)
const FIVE = CLUSTERS.slice(0, 5)
const STAGES = [
  { name: 'canary', clusters: ['c0', 'c1'], soakSeconds: 600, approval: 'Required' },
  { name: 'rest', clusterSelector: {}, maxConcurrency: '50%' },
]
const ROLLOUT = { strategy: 'Staged', maxUnavailable: '100%', stages: STAGES }

/** All six are at `v1`. */
async function begun(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<Story> {
  const story = await forked(stages, name)
  await story.module('web', 'v2', { rollout: { ...ROLLOUT, ...more } })
  return story
}

const at = (story: Story, cluster: string): unknown =>
  (story.live(cluster, 'configmaps', 'a')?.data as { value?: string } | undefined)?.value
const moved = (story: Story, to: string): string[] => CLUSTERS.filter((c) => at(story, c) === to)
const reasons = (story: Story): string[] => (story.see('web').status?.blockers ?? []).map((b) => b.reason)

async function approve(
  story: Story,
  name: string,
  over: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const revisionHash = story.see('web').status!.currentRevision!
  const body = {
    apiVersion: API_VERSION,
    kind: 'Approval',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      targetRef: { kind: 'Module' as const, name: 'web' },
      stage: 'canary',
      point: 'After' as const,
      revisionHash,
      approvedBy: 'ann',
      ...over,
    },
  }
  must(await story.during(story.fleet.hub.create(approvalKind, body, USER)))
}

async function hold(story: Story, spec: Readonly<Record<string, unknown>>): Promise<void> {
  const body = {
    apiVersion: API_VERSION,
    kind: 'Hold',
    metadata: { name: 'h', namespace: NAMESPACE },
    spec: { targetRef: { kind: 'Module' as const, name: 'web' }, reason: 'test', ...spec },
  }
  must(await story.during(story.fleet.hub.apply(holdKind, body, { ...USER, force: true })))
}

const release = async (story: Story): Promise<void> => {
  must(await story.during(story.fleet.hub.delete(holdKind, { namespace: NAMESPACE, name: 'h' }, USER)))
}

describe('two canaries, ten minutes, and somebody who says yes', () => {
  it('the rest waits for all of that; the canaries do not go on alone', async () => {
    const story = await begun('staged')
    expect(await story.until(() => moved(story, 'v2').length === 2)).toBe(true)
    await story.pass(300)
    expect(reasons(story)).toEqual(['Soaking', 'AwaitingApproval', 'StagePending'])
    await approve(story, 'yes')
    await story.pass(240)
    expect(moved(story, 'v2')).toEqual(['c0', 'c1'])
    expect(await story.until(() => story.isReady('web'), 120)).toBe(true)
    const { stages, completedAt } = story.see('web').status!.rollout!
    expect(stages).toMatchObject([
      { name: 'canary', total: 2, done: 2, approvedBy: 'ann' },
      { name: 'rest', total: 4, done: 4 },
    ])
    expect(completedAt).toBeDefined()
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it.skipIf(TIER === 'short')(
    'a restart makes the soak at most half a minute longer, never shorter',
    async () => {
      const story = await begun('staged restart')
      expect(await story.until(() => moved(story, 'v2').length === 2)).toBe(true)
      await approve(story, 'yes')
      const now = () => story.fleet.env.clock.steady() / 1000
      const since = now()
      await story.pass(200)
      const stoppedAt = now()
      story.manager.stop()
      await story.pass(1000)
      const away = now() - stoppedAt
      story.manager = story.fleet.startController()
      expect(await story.until(() => moved(story, 'v2').length > 2, 900)).toBe(true)
      const soaked = now() - since - away
      expect(soaked).toBeGreaterThanOrEqual(600)
      expect(soaked).toBeLessThanOrEqual(645)
    },
  )

  it('a newer revision begins with the canaries, and needs consent of its own', async () => {
    const story = await begun('staged newer')
    expect(await story.until(() => moved(story, 'v2').length === 2)).toBe(true)
    await approve(story, 'yes')
    await story.module('web', 'v3', { rollout: ROLLOUT })
    expect(await story.until(() => moved(story, 'v3').length === 2)).toBe(true)
    await story.pass(900)
    expect(moved(story, 'v1')).toEqual(['c2', 'c3', 'c4', 'c5'])
    expect(story.blockers('web')[0]).toMatch(
      /^ApprovalForOtherRevision: stage canary: Approval yes approves /,
    )
  })
})

describe('a Hold', () => {
  it('on all: nothing starts; released, it goes on', async () => {
    const story = await Story.begin('held', CLUSTERS)
    await story.config('v1', configManifest('a', 'v1'))
    await hold(story, { action: 'Pause' })
    await story.module('web', 'v1', { rollout: { strategy: 'Replace' } })
    await story.pass(60)
    expect([moved(story, 'v1'), story.see('web').status?.rollout?.phase]).toEqual([[], 'Paused'])
    expect(story.blockers('web')).toEqual(['Held: paused by Hold h'])
    await release(story)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
  })

  it('on one cluster: nothing is written there, repairs neither; the others go on', async () => {
    const story = await begun('held one', { stages: undefined, strategy: 'Replace' })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await hold(story, { clusters: ['c3'] })
    const from = story.fleet.commits.length
    await story.module('web', 'v3', { rollout: { strategy: 'Replace' } })
    expect(await story.until(() => moved(story, 'v3').length === 5)).toBe(true)
    await story.pass(120)
    expect([at(story, 'c3'), story.writes('c3', from)]).toEqual(['v2', []])
    expect(story.see('web').status?.clusters).toMatchObject({ ready: 5, paused: 1 })
    await release(story)
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    expect(at(story, 'c3')).toBe('v3')
  })

  /** Five clusters under way with a hundred objects each, of which every write takes a while. */
  async function underWay(name: string): Promise<Story> {
    const story = await Story.begin(name, FIVE)
    const { clock, net } = story.fleet.env
    for (const c of FIVE)
      net.wire(`https://${c}.test`, {
        before: async () => {
          await new Promise<void>((go) => clock.at(clock.steady() + 100, go))
          return undefined
        },
      })
    const names = Array.from({ length: 100 }, (_, i) => `d${i}`)
    await story.config('v1', names.map((n) => configManifest(n, '1')).join('---\n'))
    const rollout = { strategy: 'Replace', progressDeadlineSeconds: 600 }
    await story.module('web', 'v1', { rollout, apply: { concurrency: 1 } })
    expect(await story.until(() => FIVE.every((c) => story.writes(c).length > 20))).toBe(true)
    return story
  }
  const inFlight = (story: Story) => story.see('web').status?.rollout?.ledger?.map((e) => e.cluster)

  it.skipIf(TIER === 'short')(
    'stops writers before the next write; deadlines stand still; it ends by itself',
    async () => {
      const story = await underWay('handbrake')
      const until = new Date(story.fleet.env.clock.now() + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
      await hold(story, { until })
      const seen = FIVE.map((c) => story.writes(c).length)
      await story.pass(3000)
      const after = FIVE.map((c, i) => story.writes(c).length - seen[i]!)
      expect(Math.max(...after)).toBeLessThanOrEqual(1)
      expect(Math.max(...seen)).toBeLessThan(100)
      expect(inFlight(story)).toEqual(FIVE)
      expect(await story.until(() => story.isReady('web'), 900)).toBe(true)
      expect(story.fleet.oracles.violations).toEqual([])
    },
  )

  it.skipIf(TIER === 'short')('of action Pause lets running deployments finish', async () => {
    const story = await underWay('starts only')
    await hold(story, { action: 'Pause' })
    expect(inFlight(story)).toEqual(FIVE)
    expect(
      await story.until(() => FIVE.every((c) => story.inventory('web', c)?.status?.state === 'Ready'), 300),
    ).toBe(true)
    expect(await story.until(() => inFlight(story) === undefined, 60)).toBe(true)
    expect(story.see('web').status?.rollout?.phase).toBe('Paused')
  })

  it('does not keep a module that is deleted', async () => {
    const story = await begun('held deleted', { stages: undefined, strategy: 'Replace' })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await hold(story, {})
    await story.deleteModule('web')
    expect(await story.until(() => CLUSTERS.every((c) => at(story, c) === undefined))).toBe(true)
  })
})
