/** Processes whose clocks are wrong: windows and Holds go by the hub's time, what soaks by nobody's. */
import { describe, expect, it } from 'vitest'
import { approvalKind, holdKind } from '../../src/api/registry.ts'
import { API_VERSION } from '../../src/api/version.ts'
import { SIM_EPOCH } from '../../src/env/sim/clock.ts'
import { timestamp } from '../../src/object/object.ts'
import { must, NAMESPACE, simFleet } from './simfleet.ts'
import { USER } from './single.ts'
import { configManifest, Story } from './steps.ts'

const HOUR = 3600
/** From ten past midnight on, for ten minutes; the fleet begins at midnight. */
const OPENS = 600
const CLOSES = 1200
const NIGHTLY = [{ action: 'Allow', schedule: '10 0 * * *', durationSeconds: CLOSES - OPENS }]

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
    expect(story.blockers('web')).toEqual([`WindowClosed: next opens ${timestamp(SIM_EPOCH + OPENS * 1000)}`])
    expect(await story.until(() => dataValue(story) === 'v1', 60)).toBe(true)
    // Never early, and a second late at most, but for the work itself.
    expect(seconds(story)).toBeGreaterThanOrEqual(OPENS)
    expect(seconds(story)).toBeLessThan(OPENS + 3)
    await passUntil(story, CLOSES + 2)
    await publish(story, 'v2', { windows: NIGHTLY })
    await story.pass(60)
    expect([dataValue(story), story.blockers('web')[0]]).toEqual([
      'v1',
      `WindowClosed: next opens ${timestamp(SIM_EPOCH + (24 * HOUR + OPENS) * 1000)}`,
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
      `ClockSkew: this controller's clock is about ${said} the hub's API server, and at most 30s are tolerated`,
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
      ...{ apiVersion: API_VERSION, kind: 'Hold', metadata: { name: 'h', namespace: NAMESPACE } },
      spec: {
        ...{ targetRef: { kind: 'Module' as const, name: 'web' }, reason: 'test', clusters: ['edge'] },
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
        ...{ apiVersion: API_VERSION, kind: 'Approval', metadata: { name: 'yes', namespace: NAMESPACE } },
        spec: {
          ...{
            targetRef: { kind: 'Module' as const, name: 'web' },
            stage: 'canary',
            point: 'After' as const,
          },
          ...{ revisionHash: currentRevision!, approvedBy: 'ann' },
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
