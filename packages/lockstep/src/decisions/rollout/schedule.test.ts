import { describe, expect, it } from 'vitest'
import {
  at,
  DONE,
  entry,
  gate,
  many,
  OLD,
  POLICY,
  RUNNING,
  run,
  type ScheduledUnit,
  TARGET,
  unit,
} from '../../../../../test/arbitrary/scheduleinputs.ts'
import type { ScheduleOutput, UnitView } from './types.ts'

describe('how many start at once', () => {
  it.each([
    ['3', 3, 10, 3],
    ['25% of 10, rounded down', '25%', 10, 2],
    ['1% of 10, at least one', '1%', 10, 1],
    ['200 of 10 is 10', 200, 10, 10],
  ])('maxUnavailable %s', (_, maxUnavailable, total, expected) => {
    // One is done, so that Incremental no longer holds back.
    const units = [...many(total - 1, OLD), unit('x', DONE)]
    expect(run(units, {}, { maxUnavailable }).start).toHaveLength(Math.min(expected, total - 1))
  })

  it('percentages are of those that are not pinned: 7 of 120', () => {
    const hold = { action: 'Pin', by: 'p', revision: 'v1:1' } as const
    const pinned = Array.from({ length: 7 }, (_, i) => unit(`p${i}`, { ...OLD, hold }))
    const units = [...many(112, OLD), unit('x', DONE), ...pinned]
    const out = run(units, {}, { maxUnavailable: '10%' })
    expect(out.counters).toMatchObject({ total: 120, pinned: 7 })
    // 12 of 120 it would be.
    expect(out.budgets.maxUnavailable).toMatchObject({ max: 11 })
    expect(out.start).toHaveLength(11)
    expect(out.start.filter((s) => s.cluster.startsWith('p'))).toEqual([])
  })

  it('Incremental: one alone, then maxUnavailable', () => {
    expect(run(many(10, OLD), {}, { maxUnavailable: 5 }).start).toHaveLength(1)
    expect(run([unit('a', DONE), ...many(9, OLD)], {}, { maxUnavailable: 5 }).start).toHaveLength(5)
  })

  it('Replace: all at once', () => {
    expect(run(many(10, OLD), {}, { strategy: 'Replace' }).start).toHaveLength(10)
  })

  it('those in flight and those that are unhealthy use up the room', () => {
    const units = [unit('a', DONE), unit('b', RUNNING), unit('c', { ...at('v1:1'), gate }), ...many(5, OLD)]
    expect(run(units, { ledger: [entry('b')] }, { maxUnavailable: 3 }).start).toHaveLength(1)
  })

  it('a unit that is down already costs nothing', () => {
    const units = [unit('a', DONE), unit('b', at('v1:1')), unit('c', OLD)]
    expect(run(units, {}, { maxUnavailable: 1 }).start.map((s) => s.cluster)).toEqual(['b'])
    expect(run(units, {}, { maxUnavailable: 2 }).start.map((s) => s.cluster)).toEqual(['b', 'c'])
  })

  it('says who waits for a slot', () => {
    const { blockers } = run([unit('a', DONE), ...many(4, OLD)])
    expect(blockers).toEqual([
      {
        reason: 'RolloutLimit',
        on: [{ kind: 'Unit', name: 'web', cluster: 'c000' }],
        facts: {
          limit: 'maxUnavailable',
          used: 1,
          max: 1,
          waiting: 3,
          unhealthy: [],
          unhealthyCount: 0,
        },
        message: 'rollout limit reached (maxUnavailable 1/1): 3 clusters queued',
        count: 3,
      },
    ])
  })

  it('says which of them are taken by what is unhealthy, and does not start', () => {
    const units = [unit('a', DONE), unit('b', { ...at('v1:1'), gate }), ...many(4, OLD)]
    expect(run(units).blockers[0]).toMatchObject({
      on: [{ kind: 'Unit', name: 'web', cluster: 'b' }],
      facts: { unhealthy: ['b'], unhealthyCount: 1 },
      message: 'rollout limit reached (maxUnavailable 1/1): 4 clusters queued; unhealthy: b',
    })
  })
})

describe('what a unit in flight holds', () => {
  it('its slot until it is done', () => {
    expect(run([unit('a', RUNNING)], { ledger: [entry('a')] }).ledger).toHaveLength(1)
    const done = run([unit('a', DONE)], { ledger: [entry('a')] })
    expect(done.ledger).toHaveLength(0)
    expect(done.phase).toBe('Complete')
  })

  it('and until it was healthy for minReadySeconds without a break', () => {
    const step = (u: UnitView, before: ScheduleOutput | undefined, elapsedMs: number) =>
      run(
        [u],
        { ledger: before?.ledger ?? [entry('a')], clocks: before?.clocks ?? new Map(), elapsedMs },
        { minReadySeconds: 60 },
      )
    const almost = step(unit('a', DONE), step(unit('a', DONE), undefined, 0), 55_000)
    expect(almost.ledger).toMatchObject([{ readySeconds: 55 }])
    expect(almost.wakeInMs).toBe(5000)
    const broken = step(unit('a', RUNNING), almost, 1000)
    expect(broken.ledger).toMatchObject([{ readySeconds: 0 }])
    // What was so before a look and is so at the next was so between them; how long it was so before that nobody knows.
    const back = step(unit('a', DONE), broken, 3_600_000)
    expect(back.ledger).toMatchObject([{ readySeconds: 0 }])
    expect(step(unit('a', DONE), step(unit('a', DONE), back, 59_000), 1000).ledger).toHaveLength(0)
  })

  it('no longer than is asked for: minReadySeconds that is taken back in its first second ends it', () => {
    // What begins to count begins below nothing, by as much as the hub's time is in doubt (ADR 0044).
    const facts = { ledger: [entry('a')], lateMs: 800 }
    const begun = run([unit('a', DONE)], facts, { minReadySeconds: 60 })
    expect(begun.changesInMs).toBe(60_800)
    const { ledger, clocks } = begun
    const out = run([unit('a', DONE), unit('b', OLD)], { ...facts, ledger, clocks })
    expect(out.ledger.map((e) => e.cluster)).toEqual(['b'])
  })

  it('a start whose record was never written is written again, in the same slot', () => {
    const { start, ledger } = run([unit('a', OLD)], { ledger: [entry('a')] })
    expect(start).toEqual([{ cluster: 'a', kind: 'Update', revision: 'v1:2' }])
    expect(ledger).toHaveLength(1)
  })

  it('a newer target takes over its slot', () => {
    const u = unit('a', { ...at('v1:1'), running: true })
    const { start, ledger } = run([u], { ledger: [entry('a', { revision: 'v1:1' })] })
    expect(start).toEqual([{ cluster: 'a', kind: 'Update', revision: 'v1:2' }])
    expect(ledger).toMatchObject([{ revision: 'v1:2', runSeconds: 0 }])
  })
})

describe('gates', () => {
  it('a blocked unit holds no slot, and the others finish', () => {
    const units = [unit('a', DONE), ...many(12, { ...OLD, gate }), unit('z', OLD)]
    const { start, counters, blockers } = run(units)
    expect(start.map((s) => s.cluster)).toEqual(['z'])
    expect(counters.blocked).toBe(12)
    expect(blockers).toMatchObject([
      { reason: 'DependencyNotReady', message: 'waiting for certs: not healthy', count: 12 },
    ])
  })

  it('equal content only has to be verified: no slot', () => {
    const units = many(5, { ...OLD, sameContent: true })
    const { start, ledger } = run(units)
    expect(start.map((s) => s.kind)).toEqual(Array(5).fill('VerifyOnly'))
    expect(ledger).toHaveLength(0)
    expect(run(many(5, { ...OLD, sameContent: true, gate })).start).toHaveLength(0)
  })
})

describe('failures', () => {
  const failed = unit('a', { ...RUNNING, failure: 'Deployment web/api: failed' })

  it('beyond maxFailed the rollout halts: what is in flight finishes, nothing starts', () => {
    const units = [failed, unit('b', RUNNING), ...many(4, OLD)]
    const out = run(units, { ledger: [entry('a'), entry('b')] }, { maxUnavailable: 5 })
    expect(out).toMatchObject({ phase: 'Halted', haltedAt: 'v1:2', start: [] })
    expect(out.ledger.map((e) => [e.cluster, e.failed])).toEqual([
      ['a', 'Deployment web/api: failed'],
      ['b', undefined],
    ])
    expect(out.blockers[0]).toMatchObject({
      reason: 'Halted',
      on: [{ kind: 'Unit', name: 'web', cluster: 'a' }],
      facts: { failed: 1, maxFailed: 0, names: ['a'] },
      message:
        'rollout of 2 halted: 1 cluster failed (a), maxFailed 0; publish a fix or run "lockstep rollout retry web"',
    })
  })

  it('stays halted, even when the failed one recovers, until another revision is published', () => {
    const units = [unit('a', DONE), unit('b', OLD)]
    expect(run(units, { haltedAt: 'v1:2' })).toMatchObject({ phase: 'Halted', start: [] })
    expect(run(units, { haltedAt: 'v1:1' })).toMatchObject({ phase: 'Progressing', haltedAt: undefined })
  })

  it('names the Module once none of its units is failed any more', () => {
    const [blocker] = run([unit('a', DONE), unit('b', OLD)], { haltedAt: 'v1:2' }).blockers
    expect(blocker).toMatchObject({
      reason: 'Halted',
      on: [{ kind: 'Module', name: 'web' }],
      message:
        'rollout of 2 halted: clusters failed, maxFailed 0; publish a fix or run "lockstep rollout retry web"',
    })
  })

  it('goes on after a retry once what failed is under way; until then the request stands', () => {
    const ledger = [{ ...entry('a'), failed: 'failed', runSeconds: 500 }]
    const asked = { haltedAt: 'v1:2', retry: true, ledger }
    const still = run([failed, unit('b', OLD)], asked)
    expect(still).toMatchObject({ phase: 'Halted', retried: false, start: [] })
    const under = run([unit('a', RUNNING), unit('b', OLD)], asked)
    expect(under).toMatchObject({ phase: 'Progressing', retried: true, haltedAt: undefined })
    expect(under.ledger).toEqual([{ ...entry('a'), runSeconds: 0 }])
    const over = run([unit('a', DONE), unit('b', OLD)], asked)
    expect(over.start.map((x) => x.cluster)).toEqual(['b'])
  })

  it('a tolerated one frees its slot; the one beyond halts', () => {
    const policy = { maxFailed: 2, maxUnavailable: 1 }
    const f = (c: string) => unit(c, { ...RUNNING, failure: 'failed' })
    const two = [f('a'), f('b'), unit('d', DONE), unit('e', OLD)]
    expect(run(two, { ledger: [entry('a'), entry('b')] }, policy).start.map((s) => s.cluster)).toEqual(['e'])
    const three = [f('a'), f('b'), f('c'), unit('d', DONE), unit('e', OLD)]
    expect(run(three, { ledger: [entry('a'), entry('b'), entry('c')] }, policy)).toMatchObject({
      phase: 'Halted',
      start: [],
    })
  })

  it('the deadline runs only while the unit does', () => {
    const waiting = run([unit('a', { ...RUNNING, running: false })], {
      ledger: [entry('a', { runSeconds: 1000 })],
      elapsedMs: 5 * 3_600_000,
    })
    expect(waiting.ledger).toMatchObject([{ runSeconds: 1000 }])
    const clocks = new Map([['a', { runMs: 1_799_000, readyMs: 0, isRunning: true, isReady: false }]])
    const ledger = [entry('a', { runSeconds: 1799 })]
    const running = run([unit('a', RUNNING)], { ledger, clocks, elapsedMs: 999 })
    expect(running.ledger).toMatchObject([{ runSeconds: 1799 }])
    const begun = new Map([['a', { ...clocks.get('a')!, isRunning: false }]])
    expect(run([unit('a', RUNNING)], { ledger, clocks: begun, elapsedMs: 3_600_000 }).phase).toBe(
      'Progressing',
    )
    const over = run([unit('a', RUNNING)], { ledger, clocks, elapsedMs: 2000 })
    expect(over.ledger).toMatchObject([
      { failed: 'ProgressDeadlineExceeded: deploying for 1801s, progressDeadlineSeconds 1800' },
    ])
    expect(over.phase).toBe('Halted')
  })

  it('a unit that has failed and tries again has the same ledger at each look', () => {
    const first = run([unit('a', RUNNING)], { ledger: [entry('a', { runSeconds: 1800 })] })
    const look = ({ ledger, clocks }: ScheduleOutput) =>
      run([unit('a', RUNNING)], { ledger, clocks, elapsedMs: 60_000 })
    const second = look(first)
    expect(look(second).ledger).toEqual(first.ledger)
  })

  it('a new revision begins at zero, also on a cluster that ran into its deadline', () => {
    const before = run([unit('a', RUNNING)], { ledger: [entry('a', { runSeconds: 1800 })] })
    expect(before.phase).toBe('Halted')
    const target = { revision: 'v1:3', bundle: 'v1:b3' }
    const next = run([unit('a', at('v1:2'))], { target, ledger: before.ledger, clocks: before.clocks })
    expect(next).toMatchObject({ phase: 'Progressing', ledger: [{ revision: 'v1:3', runSeconds: 0 }] })
    const step = ({ ledger, clocks }: ScheduleOutput, elapsedMs: number) =>
      run([unit('a', { ...at('v1:3'), running: true })], { target, ledger, clocks, elapsedMs })
    const later = step(step(next, 5000), 1000)
    expect(later).toMatchObject({ phase: 'Progressing', ledger: [{ runSeconds: 1 }] })
  })

  it('of an older revision say nothing about the new one', () => {
    const out = run([unit('a', OLD)], { ledger: [entry('a', { revision: 'v1:1', failed: 'it was bad' })] })
    expect(out).toMatchObject({ phase: 'Progressing', failed: [] })
  })
})

describe('clusters that are not there', () => {
  it('too many unreachable: nothing new starts, by itself again when they are back', () => {
    const gone = (n: number) => many(n, { ...OLD, clusterState: 'Unreachable' })
    const rest = (n: number) => Array.from({ length: n }, (_, i) => unit(`x${i}`, OLD))
    const out = run([...gone(31), ...rest(89)])
    expect(out).toMatchObject({ phase: 'Waiting', start: [] })
    expect(out.blockers[0]).toMatchObject({
      reason: 'TooManyUnreachable',
      facts: { unreachable: 31, total: 120, max: 30 },
      message: '31 of 120 clusters unreachable, maxUnreachable 30; no cluster starts',
    })
    expect(out.blockers[0]?.on).toHaveLength(8)
    expect(run([...gone(30), ...rest(90)]).start).toHaveLength(1)
  })

  it('one that was never connected is in no total', () => {
    const out = run([unit('a', DONE), unit('b', { clusterState: 'Provisioning' })])
    expect(out.phase).toBe('Complete')
    expect(out.counters).toMatchObject({ total: 2, ready: 1, provisioning: 1 })
  })

  it('a paused one keeps its slot and starts nothing', () => {
    const out = run([unit('a', DONE), unit('b', { ...RUNNING, clusterState: 'Paused' }), unit('c', OLD)], {
      ledger: [entry('b')],
    })
    expect(out.start).toEqual([])
    expect(out.ledger).toHaveLength(1)
  })
})

describe('a full ledger', () => {
  it('lets nobody else in, and says so: the slots are not what is missing', () => {
    const failed = many(4000, { ...at('v1:2'), failure: 'it broke' })
    const out = run(
      [...failed, unit('x', OLD), unit('y', OLD), unit('z', DONE)],
      { ledger: failed.map((u) => entry(u.cluster, { failed: 'it broke' })) },
      { maxUnavailable: 2, maxFailed: '100%' },
    )
    expect(out.start).toEqual([])
    expect(out.ledger).toHaveLength(4000)
    expect(out.blockers).toEqual([
      {
        reason: 'InFlightLimit',
        on: [{ kind: 'Module', name: 'web' }],
        facts: { waiting: 2, max: 4000 },
        message:
          '4000 clusters are deploying or failed, the most that status.rollout.ledger holds: 2 clusters queued',
        count: 2,
      },
    ])
  })

  it('lets a cluster in with each one that becomes ready, and says nothing once none waits', () => {
    const waitingAfter = (ready: number) => {
      const failed = many(4000, { ...at('v1:2'), failure: 'it broke' })
      const units = [...failed.slice(0, ready).map((u) => unit(u.cluster, DONE)), ...failed.slice(ready)]
      const ledger = failed.map((u) => entry(u.cluster, { failed: 'it broke' }))
      const policy = { maxUnavailable: 2, maxFailed: '100%' }
      const out = run([...units, unit('x', OLD), unit('y', OLD)], { ledger }, policy)
      const full = out.blockers.find((b) => b.reason === 'InFlightLimit')
      return [out.start.map((s) => s.cluster), full?.count]
    }
    expect([0, 1, 2].map(waitingAfter)).toEqual([
      [[], 2],
      [['x'], 1],
      [['x', 'y'], undefined],
    ])
  })
})

describe('leaving', () => {
  it('is a start of its own, once its dependants have left', () => {
    const leaver = unit('a', { ...DONE, selected: false })
    expect(run([leaver]).start).toEqual([{ cluster: 'a', kind: 'Remove', revision: undefined }])
    expect(run([{ ...leaver, dependants: gate }]).start).toEqual([])
    expect(run([leaver], { deleting: true, target: undefined })).toMatchObject({ phase: 'Removing' })
  })

  it.each([
    ['Incremental', 3, 3],
    ['Incremental', '25%', 2],
    ['Replace', undefined, 8],
    ['Incremental', undefined, 1],
  ] as const)('a module that goes leaves its 8 clusters within its budget: %s, %s', (strategy, most, n) => {
    const all = [...'abcdefgh'].map((c) => unit(c, { ...DONE, selected: false }))
    const policy = { ...POLICY, strategy, maxUnavailable: most }
    expect(run(all, { deleting: true, target: undefined, policy }).start).toHaveLength(n)
  })
})

describe('a ledger that was lost', () => {
  const ASSIGNED = { ...OLD, recordRevision: TARGET.revision, recordStage: 'all' }
  const kinds = (out: ScheduleOutput) => out.ledger.map((e) => `${e.cluster} ${e.kind} ${e.revision}`)

  it.each<{ name: string; of: Partial<ScheduledUnit>; holds: readonly string[] }>([
    { name: 'assigned, not admitted', of: ASSIGNED, holds: ['z Update v1:2'] },
    {
      name: 'assigned for the first time',
      of: { ...ASSIGNED, admittedRevision: undefined, healthy: false },
      holds: ['z Install v1:2'],
    },
    { name: 'told to leave', of: { ...OLD, selected: false, leaving: true }, holds: ['z Remove v1:2'] },
    {
      name: 'on its way to a pin',
      of: { ...DONE, recordRevision: 'v1:1', hold: { action: 'Pin', by: 'h', revision: 'v1:1' } },
      holds: ['z PinMove v1:1'],
    },
    { name: 'admitted, and not well', of: RUNNING, holds: ['z Update v1:2'] },
  ])('is made of what is there before anything starts: $name', ({ of, holds }) => {
    // It comes last in the order: whoever forgot it would start another one.
    const units = [unit('a', DONE), ...many(3, OLD), unit('z', of)]
    const out = run(units, {}, { maxUnavailable: 1 })
    expect([out.start, kinds(out)]).toEqual([[], holds])
  })

  it.each<{ name: string; of: Partial<ScheduledUnit> }>([
    { name: 'done', of: DONE },
    { name: 'only verified again', of: { ...ASSIGNED, sameContent: true } },
    { name: 'of a cluster that is gone', of: { ...ASSIGNED, clusterState: 'Absent' } },
  ])('has nothing of what holds no slot: $name', ({ of }) => {
    const units = [unit('a', DONE), ...many(3, OLD), unit('z', of)]
    const out = run(units, {}, { maxUnavailable: 1 })
    expect(kinds(out)).toEqual(['c000 Update v1:2'])
  })
})
