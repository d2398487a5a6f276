import { describe, expect, it } from 'vitest'
import { cronCalendar } from '../../../../../kube/src/env/calendar.ts'
import type { RolloutPolicy } from '../policy.ts'
import { schedule } from '../schedule.ts'
import type { InFlightEntry, ScheduleInput, UnitAt, UnitView } from '../types.ts'
import type { DisruptionBudgetView } from './disruption.ts'

const REVISION = 'v1:2'
const POLICY: RolloutPolicy = {
  strategy: 'Replace',
  minReadySeconds: 0,
  progressDeadlineSeconds: 0,
  onFailure: 'Halt',
}
const AT: UnitAt = {
  verified: false,
  ahead: false,
  sameContent: false,
  running: false,
  failure: undefined,
  gate: [],
}
const OLD = { present: true, recordRevision: 'v1:1', admittedRevision: 'v1:1', healthy: true }

const unit = (cluster: string, over: Partial<UnitView> = {}, at: Partial<UnitAt> = {}): UnitView => ({
  cluster,
  labels: {},
  order: cluster,
  clusterState: 'Connected',
  selected: true,
  leaving: false,
  dependants: [],
  ...OLD,
  at: () => ({ ...AT, ...at }),
  ...over,
})

const ALL = ['a', 'b', 'c', 'd']

const budget = (over: Partial<DisruptionBudgetView> = {}): DisruptionBudgetView => ({
  name: 'eu',
  clusters: new Set(ALL),
  disrupted: new Set(),
  max: 1,
  ledger: [],
  waiters: [],
  freeMs: 0,
  problem: undefined,
  ...over,
})

const run = (
  budgets: readonly DisruptionBudgetView[],
  over: Partial<ScheduleInput> = {},
  policy: Partial<RolloutPolicy> = {},
) =>
  schedule({
    module: 'Module/web',
    deleting: false,
    target: { revision: REVISION, bundle: 'v1:b' },
    policy: { ...POLICY, ...policy },
    units: ALL.map((c) => unit(c)),
    ledger: [],
    haltedAt: undefined,
    retry: false,
    completedAt: undefined,
    stages: [],
    approvals: [],
    heldBy: undefined,
    gates: new Map(),
    clocks: new Map(),
    soaks: new Map(),
    elapsedMs: 0,
    nowMs: 0,
    calendar: cronCalendar,
    skewMs: undefined,
    budgets,
    ...over,
  })

const started = (out: ReturnType<typeof run>) => out.start.map((s) => s.cluster)
const texts = (out: ReturnType<typeof run>) => out.blockers.map((b) => `${b.reason}: ${b.message}`)
const entry = (cluster: string, module = 'Module/web') => ({ module, cluster, since: '2026-01-01T00:00:00Z' })

describe('a start needs a place in all budgets that count its cluster', () => {
  it('says in which it is written down', () => {
    const out = run([
      budget({ name: 'z', max: 9 }),
      budget({ max: 2 }),
      budget({ name: 'us', clusters: new Set() }),
    ])
    expect(out.start.map((s) => [s.cluster, s.takes])).toEqual([
      ['a', ['eu', 'z']],
      ['b', ['eu', 'z']],
    ])
    expect(texts(out)).toEqual([
      'DisruptionBudget: DisruptionBudget eu 2/2 (a and b) reached: 2 clusters queued',
    ])
    expect(out.awaited).toEqual(['eu'])
  })

  it('without budgets it takes nothing, and waits for nothing', () => {
    const out = run([])
    expect(out.start[0]).not.toHaveProperty('takes')
    expect([started(out), out.awaited]).toEqual([ALL, []])
  })

  it.each<[string, Partial<DisruptionBudgetView>, string[]]>([
    ['full: nothing', { disrupted: new Set(['x']) }, []],
    ['a cluster that is disrupted already costs nothing', { disrupted: new Set(['c']) }, ['c']],
    ['a shrunken budget only stops new ones', { disrupted: new Set(['x', 'y', 'c']) }, ['c']],
    [
      'others go on where it does not count',
      { clusters: new Set(['a', 'b']), disrupted: new Set(['b']) },
      ['b', 'c', 'd'],
    ],
    [
      'what cannot be read closes what it counts',
      { problem: 'spec: both', clusters: new Set(['a', 'b', 'c']) },
      ['d'],
    ],
    ['but not what is disrupted already', { problem: 'spec: both', disrupted: new Set(['b']) }, ['b']],
  ])('%s', (_, over, expected) => {
    expect(started(run([budget(over)]))).toEqual(expected)
  })

  it('one that cannot be read is named', () => {
    expect(texts(run([budget({ problem: 'spec: give exactly one' })]))).toEqual([
      'DisruptionBudget: DisruptionBudget eu is invalid (spec: give exactly one): 4 clusters queued; correct or delete it',
    ])
  })

  it('whoever finds no room in the module does not queue in a budget', () => {
    const one = run([budget({ max: 3 })], {}, { maxUnavailable: 1 })
    expect([started(one), one.awaited]).toEqual([['a'], []])
  })

  it('skips, and does not stop: a later cluster may be in fewer budgets', () => {
    const out = run([budget({ name: 'small', clusters: new Set(['a']), max: 0 })])
    expect(started(out)).toEqual(['b', 'c', 'd'])
  })

  it('its status holds so many entries', () => {
    const ledger = Array.from({ length: 4000 }, (_, i) => entry(`c${i}`, 'Module/db'))
    expect(texts(run([budget({ max: 9999, ledger })]))).toEqual([
      'DisruptionBudget: DisruptionBudget eu holds the most entries that its status can hold: 4 clusters queued',
    ])
  })
})

describe('every kind of start obeys', () => {
  const slot = (over: Partial<InFlightEntry>): InFlightEntry => ({
    cluster: 'a',
    revision: REVISION,
    stage: 'all',
    kind: 'Update',
    runSeconds: 0,
    readySeconds: 0,
    ...over,
  })
  const full = budget({ disrupted: new Set(['x']) })
  const gone = { present: false, recordRevision: undefined, admittedRevision: undefined, healthy: false }
  const pinned = { hold: { action: 'Pin' as const, by: 'h', revision: 'v1:0' } }
  const there = { recordRevision: REVISION, admittedRevision: REVISION }
  it.each<[string, string, Partial<UnitView>, Partial<UnitAt>, Partial<ScheduleInput>]>([
    ['Install', 'Install', gone, {}, {}],
    ['Update', 'Update', {}, {}, {}],
    ['Remove', 'Remove', { selected: false }, {}, {}],
    [
      'Remove of a module that goes',
      'Remove',
      { selected: false },
      {},
      { deleting: true, target: undefined },
    ],
    ['PinMove', 'PinMove', pinned, {}, {}],
    ['Rebind', 'Rebind', there, { rebinds: true, verified: true }, {}],
    ['the way back', 'RollBack', {}, {}, { rollbackCause: 'Rollback' }],
    ['an undo', 'RollBack', {}, {}, { rollbackCause: 'Undo' }],
  ])('%s', (_, kind, over, at, more) => {
    const units = [unit('a', over, at)]
    const free = run([budget()], { units, ...more })
    expect(free.start).toMatchObject([{ cluster: 'a', kind, takes: ['eu'] }])
    const out = run([full], { units, ...more })
    expect([out.start, out.ledger, out.awaited]).toEqual([[], [], ['eu']])
  })

  it('what is only verified again takes no place', () => {
    const units = [unit('a', {}, { sameContent: true })]
    expect(run([full], { units }).start).toEqual([{ cluster: 'a', kind: 'VerifyOnly', revision: REVISION }])
  })

  it('what is down already starts, and is written down', () => {
    const out = run([full], { units: [unit('a', { healthy: false })] })
    expect(out.start).toMatchObject([{ cluster: 'a', takes: ['eu'] }])
  })

  it('what moves on its own slot keeps its place', () => {
    const ledger = [slot({ revision: 'v1:1' })]
    const held = budget({ disrupted: new Set(['a']), ledger: [entry('a')] })
    expect(run([held], { units: [unit('a')], ledger }).start).toMatchObject([{ cluster: 'a', takes: ['eu'] }])
  })

  it('what is at the target and comes back into the ledger starts nothing, and asks nobody', () => {
    const out = run([full], { units: [unit('a', { ...there, healthy: false })] })
    expect([out.start, out.ledger.length, out.awaited]).toEqual([[], 1, []])
  })
})

describe('a freed place is for who has waited longest', () => {
  const waiters = [{ module: 'Module/db', since: '2026-01-01T00:00:00Z' }]
  const mine = [{ module: 'Module/web', since: '2026-01-01T00:00:00Z' }, ...waiters]

  it('others leave it alone for ten seconds, say so, and look again then', () => {
    const out = run([budget({ waiters, freeMs: 4000 })])
    expect([started(out), out.wakeInMs, out.awaited]).toEqual([[], 6000, ['eu']])
    expect(texts(out)).toEqual([
      'DisruptionBudget: DisruptionBudget eu 0/1: Module/db has waited longer and starts first; 4 clusters queued',
    ])
  })

  it('then it is for anybody', () => {
    expect(started(run([budget({ waiters, freeMs: 10_000 })]))).toEqual(['a'])
  })

  it('the one that has waited longest goes at once', () => {
    expect(started(run([budget({ waiters: mine })]))).toEqual(['a'])
  })

  it('a cluster that is disrupted already takes no place from anybody', () => {
    expect(started(run([budget({ max: 2, waiters, disrupted: new Set(['b']) })]))).toEqual(['b'])
  })
})

it('10,000 clusters in ten budgets are decided at once', () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `c${i}`)
  const clusters = new Set(names)
  const budgets = Array.from({ length: 10 }, (_, i) => budget({ name: `b${i}`, clusters, max: 500 + i }))
  const out = run(budgets, { units: names.map((n) => unit(n)) })
  expect([out.start.length, out.awaited]).toEqual([500, ['b0']])
})
