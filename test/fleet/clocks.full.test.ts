/** Processes whose clocks are wrong: windows and Holds go by the hub's time, what soaks by nobody's. */
import { describe, expect, it } from 'vitest'
import { SIM_EPOCH } from '../../packages/kube/src/env/sim/simclock.ts'
import { timestamp } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { budget, placesOf, seeBudget } from './budgets.ts'
import { hooksOf, jobHook, together } from './hookspecs.ts'
import { must, NAMESPACE, simFleet } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

const HOUR = 3600
/** From ten past midnight on, for ten minutes; the fleet begins at midnight. */
const OPENS = 600
const CLOSES = 1200
const NIGHTLY = [{ action: 'Allow', schedule: '10 0 * * *', durationSeconds: CLOSES - OPENS }]

/** A machine's monotonic clock: `of` true milliseconds, and when it shows so many. */
interface Running {
  of(time: number): number
  when(own: number): number
}
const rate = (r: number): Running => ({ of: (t) => t * r, when: (own) => own / r })
/** It stands still for so long, from some instant on, and the process with it. */
const standing = (from: number, ms: number): Running => ({
  of: (t) => (t <= from ? t : Math.max(from, t - ms)),
  when: (own) => (own <= from ? own : own + ms),
})

/** A fleet whose controllers' monotonic clock runs like this. */
async function running(name: string, own: Running, clusters: readonly string[] = ['edge']): Promise<Story> {
  const fleet = await simFleet(name, clusters)
  const { clock } = fleet.env
  const startController = () =>
    fleet.startController({
      ...fleet.env,
      clock: {
        now: () => clock.now(),
        steady: () => own.of(clock.steady()),
        at: (ms, fn) => clock.at(own.when(ms), fn),
      },
    })
  return new Story({ ...fleet, startController })
}

/** A fleet whose controllers' clock is ahead of everybody else's by so many seconds; anybody may set it. */
async function skewed(name: string, seconds: number, clusters: readonly string[] = ['edge']) {
  const fleet = await simFleet(`${name} ${seconds}`, clusters)
  const off = { seconds }
  const { clock } = fleet.env
  const startController = () =>
    fleet.startController({
      ...fleet.env,
      clock: {
        now: () => clock.now() + off.seconds * 1000,
        steady: () => clock.steady(),
        at: (ms, fn) => clock.at(ms, fn),
      },
    })
  const story = new Story({ ...fleet, startController })
  return { story, off }
}

/** Seconds since midnight, by the hub's clock. */
const seconds = (story: Story): number => story.fleet.env.clock.steady() / 1000
const passUntil = (story: Story, second: number): Promise<void> => story.pass(second - seconds(story))
const dataValue = (story: Story): unknown =>
  (story.live('edge', 'configmaps', 'a')?.data as { value?: string } | undefined)?.value

async function publish(story: Story, value: string, rollout: Readonly<Record<string, unknown>>) {
  await story.config(value, configManifest('a', value))
  await story.module('web', value, { rollout })
}

describe('a window, where the clock of the process that leads is wrong by so many seconds', () => {
  it.each([20, -20, 0])('%s: opens and closes by the hub’s', async (by) => {
    const { story } = await skewed('near', by)
    await publish(story, 'v1', { windows: NIGHTLY })
    await passUntil(story, OPENS - 1)
    expect(dataValue(story)).toBeUndefined()
    expect(story.blockers('web')).toEqual([
      `WindowClosed: window closed, opens ${timestamp(SIM_EPOCH + OPENS * 1000)}; 1 cluster queued`,
    ])
    expect(await story.until(() => dataValue(story) === 'v1', 60)).toBe(true)
    // Never early, and a second late at most, but for the work itself.
    expect(seconds(story)).toBeGreaterThanOrEqual(OPENS)
    expect(seconds(story)).toBeLessThan(OPENS + 3)
    await passUntil(story, CLOSES + 2)
    await publish(story, 'v2', { windows: NIGHTLY })
    await story.pass(60)
    expect([dataValue(story), story.blockers('web')[0]]).toEqual([
      'v1',
      `WindowClosed: window closed, opens ${timestamp(SIM_EPOCH + (24 * HOUR + OPENS) * 1000)}; 1 cluster queued`,
    ])
  })

  it.each([
    [HOUR, '1h ahead of'],
    [-HOUR, '1h behind'],
  ])('%s: is closed, says by how much, and opens when the clock is set right', async (by, said) => {
    const { story, off } = await skewed('far', by)
    // One that is open by the hub's time, and one that is so by the process'.
    const own = { ...NIGHTLY[0], schedule: by > 0 ? '10 1 * * *' : '10 23 * * *' }
    await publish(story, 'v1', { windows: [...NIGHTLY, own] })
    await passUntil(story, OPENS + 60)
    expect(dataValue(story)).toBeUndefined()
    expect(story.blockers('web')).toHaveLength(1)
    expect(story.blockers('web')[0]).toContain(
      `ClockSkew: windows stay closed: the clock of the controller is ${said} the hub (limit 30s)`,
    )
    off.seconds = 0
    expect(await story.until(() => dataValue(story) === 'v1', 45)).toBe(true)
  })

  it('without windows nobody asks what time it is', async () => {
    const { story } = await skewed('none', HOUR)
    await publish(story, 'v1', {})
    expect(await story.until(() => story.isReady('web'))).toBe(true)
  })
})

describe('the end of a Hold, where that clock is wrong', () => {
  it.each([HOUR, -HOUR])('by %s seconds, comes when it comes at the hub', async (by) => {
    const { story } = await skewed('held', by)
    const body = {
      apiVersion: API_VERSION,
      kind: 'Hold',
      metadata: { name: 'h', namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: 'web' },
        reason: 'test',
        clusters: ['edge'],
        until: timestamp(SIM_EPOCH + OPENS * 1000),
      },
    }
    await publish(story, 'v1', {})
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    must(await story.during(story.fleet.hub.apply(holdKind, body, { ...USER, force: true })))
    await publish(story, 'v2', {})
    await passUntil(story, OPENS - 1)
    expect(dataValue(story)).toBe('v1')
    expect(await story.until(() => dataValue(story) === 'v2', 60)).toBe(true)
    expect(seconds(story)).toBeGreaterThanOrEqual(OPENS)
    expect(seconds(story)).toBeLessThan(OPENS + 3)
  })
})

describe('a leader killed while a stage soaks, and a successor whose clock is wrong', () => {
  const stages = [
    { name: 'canary', clusters: ['c0'], soakSeconds: HOUR, approval: 'Required' },
    { name: 'rest', clusterSelector: {} },
  ]
  const at = (story: Story, cluster: string): unknown =>
    (story.live(cluster, 'configmaps', 'a')?.data as { value?: string } | undefined)?.value
  const soaked = (story: Story): number | undefined =>
    story.see('web').status?.rollout?.stages?.[0]?.soakSeconds

  it.each([HOUR, -HOUR])(
    'by %s seconds: it soaks as long as it has to, and half a minute more at most',
    async (by) => {
      const { story, off } = await skewed('soak', 0, ['c0', 'c1'])
      await publish(story, 'v1', { strategy: 'Replace' })
      expect(await story.until(() => story.isReady('web'))).toBe(true)
      await publish(story, 'v2', { strategy: 'Staged', stages })
      expect(await story.until(() => at(story, 'c0') === 'v2' && soaked(story) !== undefined)).toBe(true)
      const began = seconds(story)
      const { currentRevision } = story.see('web').status!
      const consent = {
        apiVersion: API_VERSION,
        kind: 'Approval',
        metadata: { name: 'yes', namespace: NAMESPACE },
        spec: {
          targetRef: { kind: 'Module' as const, name: 'web' },
          stage: 'canary',
          point: 'After' as const,
          revisionHash: currentRevision!,
          approvedBy: 'ann',
        },
      }
      must(await story.during(story.fleet.hub.create(approvalKind, consent, USER)))
      await passUntil(story, began + 1000)
      story.manager.stop()
      off.seconds = by
      story.manager = story.fleet.startController()
      expect(await story.until(() => at(story, 'c1') === 'v2', 2 * HOUR)).toBe(true)
      expect(seconds(story) - began).toBeGreaterThanOrEqual(HOUR)
      expect(seconds(story) - began).toBeLessThanOrEqual(HOUR + 30)
      expect(story.fleet.rollouts.problems).toEqual([])
      expect(story.fleet.rollouts.tested).toMatchObject({ I20: 1, I24: 1, I25: 1 })
      expect(story.fleet.oracles.violations).toEqual([])
    },
  )
})

describe('a monotonic clock that is wrong', () => {
  const FAST = rate(1.05)
  const SLOW = rate(0.95)
  const MINUTES = 600
  const at = (story: Story, cluster: string): unknown =>
    (story.live(cluster, 'configmaps', 'a')?.data as { value?: string } | undefined)?.value

  it.each([
    ['runs 5 % too fast', FAST],
    ['runs 5 % too slow', SLOW],
    ['stands still for ten minutes', standing(300_000, 600_000)],
  ])('%s: a window opens when it opens at the hub', async (name, own) => {
    const story = await running(`window ${name}`, own)
    // Whoever stands still looks later, and finds it open.
    await publish(story, 'v1', { windows: [{ ...NIGHTLY[0], durationSeconds: HOUR }] })
    expect(await story.until(() => dataValue(story) === 'v1', 2 * HOUR)).toBe(true)
    expect(seconds(story)).toBeGreaterThanOrEqual(OPENS)
    expect(seconds(story)).toBeLessThan(Math.max(OPENS, own.when(OPENS * 1000) / 1000) + 5)
  })

  it.each([
    ['runs 5 % too fast', FAST, MINUTES + 5],
    ['runs 5 % too slow', SLOW, MINUTES / 0.95 + 5],
    ['stands still for ten minutes', standing(300_000, 600_000), 2 * MINUTES + 35],
  ])('%s: a stage soaks as long as it has to', async (name, own, most) => {
    const story = await running(`soak ${name}`, own, ['c0', 'c1'])
    const stages = [
      { name: 'canary', clusters: ['c0'], soakSeconds: MINUTES },
      { name: 'rest', clusterSelector: {} },
    ]
    await publish(story, 'v1', { strategy: 'Replace' })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await publish(story, 'v2', { strategy: 'Staged', stages })
    expect(await story.until(() => at(story, 'c0') === 'v2')).toBe(true)
    const began = seconds(story)
    expect(await story.until(() => at(story, 'c1') === 'v2', 2 * HOUR)).toBe(true)
    expect(seconds(story) - began).toBeGreaterThanOrEqual(MINUTES)
    expect(seconds(story) - began).toBeLessThan(most)
    expect(story.fleet.rollouts.problems).toEqual([])
    expect(story.fleet.rollouts.tested.I25).toBeGreaterThan(0)
  })

  it.each([
    ['runs 5 % too fast', FAST],
    ['runs 5 % too slow', SLOW],
  ])('%s: minReadySeconds are seconds', async (name, own) => {
    const story = await running(`ready ${name}`, own, ['c0', 'c1'])
    await publish(story, 'v1', { strategy: 'Replace' })
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    await publish(story, 'v2', { minReadySeconds: 300 })
    const isOn = (cluster: string): boolean => at(story, cluster) === 'v2'
    expect(await story.until(() => isOn('c0') || isOn('c1'))).toBe(true)
    const began = seconds(story)
    expect(await story.until(() => isOn('c0') && isOn('c1'), HOUR)).toBe(true)
    expect(seconds(story) - began).toBeGreaterThanOrEqual(300)
    expect(seconds(story) - began).toBeLessThan(300 / 0.95 + 5)
  })

  it('runs 5 % too fast: a Hold ends when it ends at the hub', async () => {
    const story = await running('held fast', FAST)
    await publish(story, 'v1', {})
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const body = {
      apiVersion: API_VERSION,
      kind: 'Hold',
      metadata: { name: 'h', namespace: NAMESPACE },
      spec: {
        targetRef: { kind: 'Module' as const, name: 'web' },
        reason: 'test',
        until: timestamp(SIM_EPOCH + OPENS * 1000),
      },
    }
    must(await story.during(story.fleet.hub.apply(holdKind, body, { ...USER, force: true })))
    await publish(story, 'v2', {})
    expect(await story.until(() => dataValue(story) === 'v2', HOUR)).toBe(true)
    expect(seconds(story)).toBeGreaterThanOrEqual(OPENS)
    expect(seconds(story)).toBeLessThan(OPENS + 5)
  })
})

describe('stamps that other processes compare, of a process whose clock is an hour wrong', () => {
  const ageOf = (story: Story, at: string): number => (SIM_EPOCH - Date.parse(at)) / 1000 + seconds(story)

  it.each([HOUR, -HOUR])('%s: places in DisruptionBudgets are of the hub’s time', async (by) => {
    const { story } = await skewed('places', by)
    await budget(story, 'all', { maxUnavailable: 1 })
    // It stays under way.
    story.fleet.clusters.get('edge')!.world.fail({ image: 'web:1', outcome: 'ImagePull' })
    await story.config('v1', deploymentManifest('web', 'web:1'))
    await story.module('web', 'v1', {})
    expect(await story.until(() => placesOf(seeBudget(story, 'all')).length > 0)).toBe(true)
    const [place] = seeBudget(story, 'all').status!.ledger!
    expect(Math.abs(ageOf(story, place!.since))).toBeLessThan(5)
  })

  it.each([HOUR, -HOUR])('%s: a hook has its time, also where another process goes on', async (by) => {
    const { story, off } = await skewed('hook', 0)
    story.fleet.clusters.get('edge')!.world.fail({ image: 'slow:1', outcome: 'ImagePull' })
    const hook = jobHook('db', 'PreSync', {
      image: 'slow:1',
      annotations: { 'lockstep.dev/hook-timeout': '600s' },
    })
    await story.config('v1', together(hook, configManifest('a', 'v1')))
    await story.module('web', 'v1', {})
    expect(await story.until(() => hooksOf(story, 'web')[0] === 'PreSync db Running 1')).toBe(true)
    const began = seconds(story)
    story.manager.stop()
    off.seconds = by
    story.manager = story.fleet.startController()
    await story.pass(500)
    expect(hooksOf(story, 'web')).toEqual(['PreSync db Running 1'])
    const isOver = () => hooksOf(story, 'web')[0] !== 'PreSync db Running 1'
    expect(await story.until(isOver, 1200)).toBe(true)
    expect(seconds(story) - began).toBeGreaterThanOrEqual(599)
    expect(seconds(story) - began).toBeLessThan(660)
  })
})
