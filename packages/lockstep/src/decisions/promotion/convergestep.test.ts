import { describe, expect, it } from 'vitest'
import type { PromotionStatus } from '../../api/kinds/promotion/status.ts'
import { type CheckResult, convergeStep, dependsOnTargets } from './convergestep.ts'
import type { EnvironmentRevision } from './environmentrevision.ts'
import { failing, newer, PULL, promotion, silent, TARGET } from './promotion.cases.ts'

const START = Date.parse('2026-11-23T12:00:00Z')
const at = (revision: string): EnvironmentRevision => ({ type: 'At', revision, release: undefined })
const not: EnvironmentRevision = { type: 'Not', blockers: [failing] }
const stopped = silent

describe('converging', () => {
  const after = (
    s: number,
    level: EnvironmentRevision,
    status: PromotionStatus = {},
    stop?: typeof stopped,
  ) =>
    convergeStep({
      promotion: promotion('Converging', status),
      level,
      targets: [TARGET],
      stopped: stop,
      isBegun: false,
      newer: undefined,
      checks: [],
      nowMs: START + s * 1000,
    })

  it('ends when all targets are at the revision', () => {
    expect(after(0, at('6.0.1')).step).toEqual({ type: 'Phase', to: 'Verifying' })
    expect(after(0, at('6.0.0')).step).toMatchObject({
      type: 'Wait',
      blockers: [{ message: 'environment prod is at 6.0.0: waiting for 6.0.1' }],
    })
  })

  it('a Module that follows a tag says its commit, too', () => {
    expect(after(0, at('6.0.1@sha1:abc')).step).toMatchObject({ to: 'Verifying' })
    expect(after(0, at('6.0.10')).step).toMatchObject({ type: 'Wait' })
  })

  it('fails after its deadline, and says what it waited for', () => {
    const clock = { elapsedMs: 0, runningSince: '2026-11-23T12:00:00Z' }
    expect(after(1799, not, { clock })).toMatchObject({
      step: { type: 'Wait', untilMs: START + 1800_000 },
      clock,
    })
    expect(after(1800, not, { clock }).step).toMatchObject({
      to: 'Failed',
      reason: 'ConvergeDeadlineExceeded',
      message:
        'targets are not at 6.0.1 after 30m: HelmRelease prod/podinfo on eu: TargetNotReady: UpgradeFailed',
    })
  })

  it('which stands still while a target cannot be read', () => {
    const running = { elapsedMs: 0, runningSince: '2026-11-23T12:00:00Z' }
    const paused = after(1000, not, { clock: running }, stopped)
    expect(paused).toMatchObject({ step: { type: 'Wait' }, clock: { elapsedMs: 1_000_000 } })
    expect(paused.step).not.toHaveProperty('untilMs')
    const later = after(90_000, not, { clock: paused.clock }, stopped)
    expect(later.step.type).toBe('Wait')
    const fraction = { runningSince: '2026-11-23T12:00:00Z', elapsedMs: 0 }
    expect(after(1.0004, not, { clock: fraction }, stopped).clock).toEqual({ elapsedMs: 1000 })
    const back = after(90_000, not, { clock: later.clock })
    expect(back).toMatchObject({ step: { type: 'Wait', untilMs: START + 90_000_000 + 800_000 } })
  })

  describe('by hand', () => {
    const byHand = (s: number, o: Partial<Parameters<typeof convergeStep>[0]> = {}) =>
      convergeStep({
        promotion: promotion('Converging', {}, { strategy: 'manual', convergeDeadlineSeconds: 60 }),
        level: at('6.0.0'),
        targets: [TARGET],
        stopped: undefined,
        checks: [],
        nowMs: START + s * 1000,
        isBegun: false,
        newer: undefined,
        ...o,
      })

    it('takes as long as people take, and is said to wait for them', () => {
      expect(byHand(90_000)).toMatchObject({
        step: {
          blockers: [
            {
              reason: 'AwaitingManualPromotion',
              on: [TARGET],
              message: 'waiting for a manual promotion of prod from 6.0.0 to 6.0.1',
            },
          ],
        },
        clock: undefined,
      })
      expect(byHand(0, { stopped }).step).toMatchObject({ blockers: [stopped] })
    })

    it('taken back before all were there, it begins anew with who brings it next', () => {
      const clock = { elapsedMs: 50_000, runningSince: '2026-11-23T12:00:00Z' }
      const view = promotion('Converging', { clock }, { strategy: 'manual', convergeDeadlineSeconds: 60 })
      expect(byHand(90_000, { promotion: view })).toMatchObject({ step: { type: 'Wait' }, clock: undefined })
    })

    it('has its deadline from the first target that is there', () => {
      expect(byHand(90_000, { isBegun: true, level: not })).toMatchObject({
        step: { type: 'Wait' },
        clock: { elapsedMs: 0 },
      })
    })

    it('gives way to a newer revision, as long as nobody has begun', () => {
      expect(byHand(0, { newer }).step).toMatchObject({ to: 'Superseded', reason: 'NewerRevision' })
      expect(byHand(0, { newer, isBegun: true, level: not }).step.type).toBe('Wait')
    })
  })
})

describe('verifying', () => {
  const settings = { ...PULL, verify: { soakSeconds: 300, timeoutSeconds: 1800 } }
  const check = (state: CheckResult['state'], isFinal = false): CheckResult => ({
    name: 'slo',
    state,
    isFinal,
    message: state === 'Passed' ? '' : 'error rate 2%',
  })
  const after = (
    s: number,
    checks: CheckResult[],
    status: PromotionStatus = {},
    level: EnvironmentRevision = at('6.0.1'),
  ) =>
    convergeStep({
      promotion: promotion('Verifying', status, settings),
      isBegun: true,
      newer: undefined,
      level,
      targets: [TARGET],
      stopped: undefined,
      checks,
      nowMs: START + s * 1000,
    })

  it('is over at once where nothing is asked', () => {
    const step = convergeStep({
      promotion: promotion('Verifying'),
      isBegun: true,
      newer: undefined,
      level: at('6.0.1'),
      targets: [TARGET],
      stopped: undefined,
      checks: [],
      nowMs: START,
    }).step
    expect(step).toEqual({ type: 'Phase', to: 'Succeeded', reason: 'Promoted' })
  })

  it('all has to stay well for so long, and begins anew where it was not', () => {
    const first = after(0, [check('Passed')])
    expect(first).toMatchObject({ wellSince: '2026-11-23T12:00:00Z', step: { untilMs: START + 300_000 } })
    expect(after(300, [check('Passed')], { wellSince: first.wellSince }).step).toMatchObject({
      to: 'Succeeded',
    })
    const unwell = after(200, [check('Failed')], { wellSince: first.wellSince })
    expect(unwell).toMatchObject({
      wellSince: undefined,
      step: { blockers: [{ reason: 'VerificationRunning', message: 'check slo fails: error rate 2%' }] },
    })
    expect(after(100, [check('Passed')], {}, not)).toMatchObject({ wellSince: undefined })
  })

  it('fails after its time, or at once where a check cannot become another', () => {
    const clock = { elapsedMs: 0, runningSince: '2026-11-23T12:00:00Z' }
    expect(after(1800, [check('Failed')], { clock }).step).toMatchObject({
      to: 'Failed',
      reason: 'VerificationFailed',
      message: 'verification timed out after 30m: check slo: error rate 2%',
    })
    expect(after(0, [check('Failed', true)]).step).toMatchObject({
      to: 'Failed',
      message: 'check slo failed: error rate 2%',
    })
  })
})

it('what goes on because of where targets are is what a read of them is worth', () => {
  const phase = (to: 'Verifying' | 'Succeeded' | 'Failed') => ({ type: 'Phase', to }) as const
  const view = promotion('Verifying')
  const verified = { ...view, settings: { ...view.settings, verify: { soakSeconds: 0, timeoutSeconds: 60 } } }
  const { verify: _none, ...settings } = view.settings
  expect(dependsOnTargets(phase('Verifying'), view)).toBe(true)
  expect(dependsOnTargets(phase('Succeeded'), verified)).toBe(true)
  expect(dependsOnTargets(phase('Succeeded'), { ...view, settings })).toBe(false)
  expect(dependsOnTargets(phase('Failed'), verified)).toBe(false)
  expect(dependsOnTargets({ type: 'Wait', blockers: [] }, verified)).toBe(false)
})
