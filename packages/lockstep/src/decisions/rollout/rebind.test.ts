/** What is bound to other values where it is: a start like any other, but for stages. */
import { describe, expect, it } from 'vitest'
import { cronCalendar } from '../../../../kube/src/env/calendar.ts'
import { blocked } from '../../api/blocker.ts'
import type { RolloutPolicy } from './policy.ts'
import { schedule } from './schedule.ts'
import type { InFlightEntry, ScheduleInput, UnitAt, UnitView } from './types.ts'

const [OLD, NEW] = ['v1:1', 'v1:2']

const POLICY: RolloutPolicy = {
  strategy: 'Replace',
  minReadySeconds: 0,
  progressDeadlineSeconds: 1800,
  onFailure: 'Halt',
}
const STAGED: Partial<RolloutPolicy> = {
  strategy: 'Staged',
  maxUnavailable: 2,
  stages: [
    { name: 'first', clusters: ['a'], approval: 'Required' },
    { name: 'rest', clusterSelector: {} },
  ],
}

const STILL: UnitAt = {
  verified: false,
  ahead: false,
  sameContent: false,
  running: false,
  failure: undefined,
  gate: [],
}

/** Delivered at a revision, well; there `over` holds. */
const unit = (
  cluster: string,
  revision: string,
  over: Partial<UnitAt> = {},
  view: Partial<UnitView> = {},
) => ({
  cluster,
  labels: {},
  order: cluster,
  clusterState: 'Connected' as const,
  selected: true,
  present: true,
  leaving: false,
  recordRevision: revision,
  admittedRevision: revision,
  healthy: true,
  dependants: [],
  ...view,
  at: (asked: string): UnitAt => (asked === revision ? { ...STILL, verified: true, ...over } : STILL),
})

const REBINDS = { rebinds: true }

const run = (
  units: readonly UnitView[],
  input: Partial<ScheduleInput> = {},
  policy: Partial<RolloutPolicy> = {},
) =>
  schedule({
    module: 'Module/web',
    deleting: false,
    target: { revision: NEW, bundle: 'v1:b' },
    units,
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
    skewMs: undefined,
    calendar: cronCalendar,
    ...input,
    policy: { ...POLICY, ...policy },
  } as ScheduleInput)

const entry = (cluster: string, revision: string): InFlightEntry => ({
  cluster,
  revision,
  stage: 'rest',
  kind: 'Rebind',
  runSeconds: 0,
  readySeconds: 0,
})

const rebound = (cluster: string, revision = NEW) => ({ cluster, kind: 'Rebind', revision })

describe('a value that changes', () => {
  it('starts its unit alone', () => {
    const out = run([unit('a', NEW), unit('b', NEW, REBINDS), unit('c', NEW)])
    expect(out).toMatchObject({
      start: [rebound('b')],
      phase: 'Progressing',
      counters: { ready: 2, waiting: 1 },
    })
    expect(out.ledger).toMatchObject([{ cluster: 'b', kind: 'Rebind', revision: NEW }])
  })

  it('takes room like an update', () => {
    const units = Array.from({ length: 20 }, (_, i) => unit(`c${i}`, NEW, REBINDS))
    expect(run(units, {}, { maxUnavailable: 3 }).start).toHaveLength(3)
  })

  it('asks no stage, and stays at the revision that is there', () => {
    const out = run([unit('a', OLD), unit('b', OLD, REBINDS), unit('c', OLD)], {}, STAGED)
    expect(out.start).toEqual([{ cluster: 'a', kind: 'Update', revision: NEW }, rebound('b', OLD)])
  })

  it('is delivered to its end before the unit moves on', () => {
    const running = unit('b', OLD, { verified: false, running: true }, { healthy: false })
    const out = run([unit('a', OLD), running], { ledger: [entry('b', OLD)] }, STAGED)
    expect(out.ledger).toMatchObject([{ cluster: 'a' }, { cluster: 'b', kind: 'Rebind', revision: OLD }])
  })

  it('that changes again moves on its own slot', () => {
    const again = unit('b', NEW, { verified: false, running: true, rebinds: true }, { healthy: false })
    const out = run([unit('a', NEW), again], { ledger: [entry('b', NEW)] }, { maxUnavailable: 1 })
    expect(out.start).toEqual([rebound('b')])
    expect(out.ledger).toHaveLength(1)
  })

  const closed = { action: 'Deny' as const, schedule: '* * * * *', durationSeconds: 3600 }
  const gate = [blocked('BindingUnresolved', [], { binding: 'region', because: 'Missing' })]

  it.each<[string, Partial<ScheduleInput>, Partial<RolloutPolicy>, Partial<UnitAt>, Partial<UnitView>]>([
    ['a Hold on the module ends', { heldBy: 'h' }, {}, {}, {}],
    ['a Hold on its cluster ends', {}, {}, {}, { hold: { action: 'Pause', by: 'h' } }],
    ['a window opens', {}, { windows: [closed] }, {}, {}],
    ['there is a value', {}, {}, { gate }, {}],
    ['its cluster answers', {}, {}, {}, { clusterState: 'Unreachable' }],
    ['people let more than the first revision in', {}, { updates: 'Once' }, {}, {}],
  ])('waits until %s', (_, input, policy, at, view) => {
    const out = run([unit('a', NEW), unit('b', NEW, { ...REBINDS, ...at }, view)], input, policy)
    expect(out.start).toEqual([])
    expect(out.ledger).toEqual([])
  })

  it('and has none: its cluster is blocked, and says why; what is there stays', () => {
    const out = run([unit('a', NEW), unit('b', NEW, { ...REBINDS, gate })])
    expect(out).toMatchObject({ phase: 'Waiting', withdraw: [], counters: { ready: 1, blocked: 1 } })
    expect(out.blockers).toMatchObject([{ reason: 'BindingUnresolved', count: 1 }])
  })
})
