/** What is otherwise in the rollout of a ClusterResourceSet: halts end by themselves, and the sick keep nobody from being new. */
import { describe, expect, it } from 'vitest'
import { cronCalendar } from '../../../../kube/src/env/calendar.ts'
import { schedule } from './schedule.ts'
import type { InFlightEntry, ScheduleInput, UnitAt, UnitView } from './types.ts'

const NEW = 'v1:2'

const STILL: UnitAt = {
  verified: false,
  ahead: false,
  sameContent: false,
  running: false,
  failure: undefined,
  gate: [],
}

const unit = (cluster: string, revision: string | undefined, over: Partial<UnitView> = {}): UnitView => ({
  cluster,
  labels: {},
  order: cluster,
  clusterState: 'Connected',
  selected: true,
  leaving: false,
  present: revision !== undefined,
  recordRevision: revision,
  admittedRevision: revision,
  healthy: revision !== undefined,
  dependants: [],
  at: (asked) => (asked === revision ? { ...STILL, verified: true } : STILL),
  ...over,
})

const run = (units: readonly UnitView[], input: Partial<ScheduleInput>) =>
  schedule({
    module: 'Module/crs-a',
    deleting: false,
    target: { revision: NEW, bundle: 'v1:b' },
    units,
    ledger: [],
    ofSet: true,
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
    policy: {
      strategy: 'Incremental',
      maxUnavailable: 1,
      maxUnreachable: '100%',
      minReadySeconds: 0,
      progressDeadlineSeconds: 1800,
      onFailure: 'Halt',
    },
    ...input,
  })

const started = (out: ReturnType<typeof schedule>): string[] => out.start.map((s) => `${s.kind} ${s.cluster}`)

describe('a halt', () => {
  const failed: InFlightEntry = {
    cluster: 'a',
    revision: NEW,
    stage: '',
    kind: 'Update',
    runSeconds: 9,
    readySeconds: 0,
    failed: 'no',
  }
  const halted = { haltedAt: NEW, ledger: [failed] }
  const next = unit('b', 'v1:1')

  it('ends where all that has failed is well', () => {
    const out = run([unit('a', NEW), next], halted)
    expect([out.haltedAt, started(out)]).toEqual([undefined, ['Update b']])
  })

  it.each([
    ['is not', { healthy: false }],
    ['cannot be asked', { clusterState: 'Unreachable', healthy: false }],
    ['is paused', { clusterState: 'Paused', healthy: false }],
  ] as const)('stays where some of it %s', (_, over) => {
    const out = run([unit('a', NEW, over), next], halted)
    expect([out.haltedAt, started(out)]).toEqual([NEW, []])
  })

  it('ends with the cluster that has failed; the next one is alone, for nothing has proved it yet', () => {
    const out = run([next, unit('c', 'v1:1')], halted)
    expect([out.haltedAt, started(out)]).toEqual([undefined, ['Update b']])
  })

  it('of a Module of a person stays until that says otherwise', () => {
    expect(run([unit('a', NEW), next], { ...halted, ofSet: false }).haltedAt).toBe(NEW)
  })
})

describe('what is unhealthy with the same', () => {
  const sick = unit('a', NEW, { healthy: false })
  const done = { completedAt: NEW }

  it('keeps no new cluster from its first delivery, which goes one after the other all the same', () => {
    const out = run([sick, unit('b', undefined), unit('c', undefined)], done)
    expect(started(out)).toEqual(['Install b'])
  })

  it('keeps others from a change', () => {
    expect(started(run([sick, unit('b', 'v1:1')], done))).toEqual([])
  })

  it('keeps new ones waiting too in a Module of a person', () => {
    expect(started(run([sick, unit('b', undefined)], { ...done, ofSet: false }))).toEqual([])
  })
})
