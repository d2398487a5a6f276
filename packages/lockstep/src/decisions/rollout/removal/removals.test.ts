import { describe, expect, it } from 'vitest'
import { entry, many, OLD, run, unit } from '../../../../../../test/arbitrary/scheduleinputs.ts'
import { blocked } from '../../../api/blocker.ts'
import type { InFlightEntry, ScheduleOutput, UnitView } from '../types.ts'
import { type UnitRemoval, unitRemovalOf } from './unitremoval.ts'

const x = {
  kind: 'Object',
  name: 'x',
  namespace: 'default',
  cluster: 'c1',
  object: { apiVersion: 'v1', kind: 'ConfigMap' },
} as const
const denied = blocked('PruneBlocked', [x], { because: 'Refused', error: 'denied' })
const down = blocked('PruneBlocked', [x], { because: 'Unavailable', error: '500 no endpoints' })
const confirm = blocked('PruneConfirmation', [x], { module: 'm' })
const finalizer = blocked('FinalizerPending', [x], { next: 'Remove', finalizers: ['example.com/backup'] })
const hook = blocked('HookFailed', [x], { phase: 'PreDelete', attempt: 1, attempts: 1 })
const inUse = blocked('NamespaceInUse', [x, { kind: 'Unit', name: 'other' }], { user: 'Module other' })
const held = blocked('Held', [{ kind: 'Hold', name: 'h' }], { action: 'Suspend' })

describe('the removal of a unit', () => {
  it.each([
    ['at work', [], { isRunning: true, waits: 0, failure: undefined }],
    ['a refused deletion', [denied], { isRunning: false, waits: 0, failure: 'ConfigMap default/x: denied' }],
    ['a server out of order', [down], { isRunning: true, waits: 0, failure: undefined }],
    ['a finalizer', [finalizer], { isRunning: true, waits: 0, failure: undefined }],
    ['a failed hook', [hook], { isRunning: false, waits: 0, failure: hook.message }],
    ['a person', [confirm], { isRunning: false, waits: 1, failure: undefined }],
    ['a person and another unit', [confirm, inUse], { isRunning: false, waits: 2, failure: undefined }],
    ['a Hold', [held], { isRunning: false, waits: 1, failure: undefined }],
    [
      'a person, while another object is deleted',
      [confirm, finalizer],
      { isRunning: true, waits: 0, failure: undefined },
    ],
    [
      'a person and a refusal',
      [confirm, denied],
      { isRunning: false, waits: 0, failure: 'ConfigMap default/x: denied' },
    ],
  ])('%s', (_, blockers, expected) => {
    const { isRunning, waits, failure } = unitRemovalOf(blockers)
    expect({ isRunning, waits: waits.length, failure }).toEqual(expected)
  })
})

const GOING = { ...OLD, selected: false }
const begun = (removal: UnitRemoval) => ({ ...GOING, leaving: true, removal })
const removing = (cluster: string, over: Partial<InFlightEntry> = {}) =>
  entry(cluster, { kind: 'Remove', revision: '', stage: '', ...over })
const deleted = { deleting: true, target: undefined } as const
const AT_WORK = unitRemovalOf([])
const starts = (o: ScheduleOutput): string[] => o.start.map((s) => s.cluster)

describe('a removal that runs', () => {
  it('counts towards the rollout limit; a failed one does not, and the next starts', () => {
    const units = (removal: UnitRemoval) => [unit('a', begun(removal)), unit('b', GOING), unit('c', GOING)]
    expect(starts(run(units(AT_WORK), { ...deleted, ledger: [removing('a')] }))).toEqual([])
    const out = run(units(unitRemovalOf([denied])), { ...deleted, ledger: [removing('a')] })
    expect(starts(out)).toEqual(['b'])
    expect(out.removals).toEqual({ total: 3, left: 3, failed: 1, maxFailed: 1 })
    expect(out.ledger).toMatchObject([
      { cluster: 'a', failed: 'ConfigMap default/x: denied' },
      { cluster: 'b' },
    ])
    expect(out.blockers[0]).toMatchObject({
      reason: 'RemovalFailed',
      count: 1,
      message: '1 of 3 clusters, limit 1: a: ConfigMap default/x: denied',
    })
  })

  it('is not failed any more once the cluster gives in', () => {
    const ledger = [removing('a', { failed: 'denied' })]
    const out = run([unit('a', begun(unitRemovalOf([finalizer])))], { ...deleted, ledger })
    expect(out.ledger).toMatchObject([{ cluster: 'a', failed: undefined }])
  })

  it('fails at its own deadline, by its running time alone', () => {
    const policy = { removal: { maxFailed: 0, progressDeadlineSeconds: 60 } }
    const step = (u: UnitView, before: ScheduleOutput | undefined, elapsedMs: number) =>
      run(
        [u],
        {
          ...deleted,
          elapsedMs,
          ledger: before?.ledger ?? [removing('a')],
          clocks: before?.clocks ?? new Map(),
        },
        policy,
      )
    const going = unit('a', begun(unitRemovalOf([finalizer])))
    const first = step(going, undefined, 0)
    expect([first.wakeInMs, first.changesInMs]).toEqual([30_000, 60_000])
    const almost = step(going, first, 59_000)
    expect([almost.ledger[0]!.failed, almost.ledger[0]!.runSeconds]).toEqual([undefined, 59])
    const late = step(going, almost, 1000)
    expect(late.ledger[0]!.failed).toBe(
      'removing for 60s, removal.progressDeadlineSeconds 60: ConfigMap default/x is terminating: example.com/backup',
    )
    expect(step(going, late, 3_600_000).ledger[0]!.failed).toMatch(/^removing for /)
    expect(
      run(
        [going],
        { ...deleted, ledger: [removing('a', { runSeconds: 9999 })] },
        {
          removal: { maxFailed: 0, progressDeadlineSeconds: 0 },
        },
      ).ledger[0]!.failed,
    ).toBeUndefined()
  })

  it('that waits for a person has no entry, and gets one with a fresh time when it continues', () => {
    const units = (removal: UnitRemoval) => [unit('a', begun(removal)), unit('b', GOING)]
    const out = run(units(unitRemovalOf([confirm])), {
      ...deleted,
      ledger: [removing('a', { runSeconds: 1700 })],
    })
    expect([starts(out), out.ledger.map((e) => e.cluster), out.removals?.failed]).toEqual([['b'], ['b'], 0])
    const on = run(units(AT_WORK), { ...deleted, ledger: [] })
    expect(on.ledger).toMatchObject([{ cluster: 'a', kind: 'Remove', runSeconds: 0 }])
  })
})

describe('failed removals', () => {
  const failed = (n: number) =>
    Array.from({ length: n }, (_, i) => unit(`f${i}`, begun(unitRemovalOf([denied]))))
  const outOf = (n: number, total: number, maxFailed?: number | string) => {
    const units = [...failed(n), ...many(total - n, GOING)]
    const ledger = units.slice(0, n).map((u) => removing(u.cluster))
    const removal = maxFailed === undefined ? undefined : { maxFailed, progressDeadlineSeconds: 1800 }
    return run(units, { ...deleted, ledger }, { maxUnavailable: 1, removal })
  }

  it.each<[number, number, number | string | undefined, number, boolean]>([
    [8, 30, undefined, 8, true],
    [9, 30, undefined, 8, false],
    [1, 2, undefined, 1, true],
    [2, 3, undefined, 1, false],
    [0, 30, 0, 0, true],
    [1, 30, 0, 0, false],
    [1, 30, '0%', 1, true],
    [4, 30, 3, 3, false],
  ])('%i of %i with maxFailed %s: limit %i, others start: %s', (n, total, maxFailed, limit, doStart) => {
    const out = outOf(n, total, maxFailed)
    expect([out.removals?.maxFailed, out.start.length > 0]).toEqual([limit, doStart])
  })

  it('are compared with the units that there were at first', () => {
    const ledger = failed(8).map((u) => removing(u.cluster))
    const out = run([...failed(8), unit('z', GOING)], { ...deleted, ledger, removalTotal: 30 })
    expect([out.removals, starts(out)]).toEqual([{ total: 30, left: 9, failed: 8, maxFailed: 8 }, ['z']])
    expect(run(many(3, OLD)).removals).toBeUndefined()
  })

  it('stop no deployment, and halt no rollout', () => {
    const units = [...failed(5), ...many(3, OLD)]
    const out = run(units, { ledger: failed(5).map((u) => removing(u.cluster, { revision: 'v1:2' })) })
    expect([starts(out), out.haltedAt]).toEqual([['c000'], undefined])
  })
})
