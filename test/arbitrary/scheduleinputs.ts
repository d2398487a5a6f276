/** A module whose fleet is to get from revision v1:1 to v1:2, for tests of the scheduler: a decision in one line. */

import { cronCalendar } from '../../packages/kube/src/env/calendar.ts'
import { blocked, type NewBlocker } from '../../packages/lockstep/src/api/blocker.ts'
import type { RolloutPolicy } from '../../packages/lockstep/src/decisions/rollout/policy.ts'
import { schedule } from '../../packages/lockstep/src/decisions/rollout/schedule.ts'
import type {
  InFlightEntry,
  ScheduleInput,
  ScheduleOutput,
  UnitAt,
  UnitView,
} from '../../packages/lockstep/src/decisions/rollout/types.ts'

export const TARGET = { revision: 'v1:2', bundle: 'v1:b2' }

export const POLICY: RolloutPolicy = {
  strategy: 'Incremental',
  minReadySeconds: 0,
  progressDeadlineSeconds: 1800,
  onFailure: 'Halt',
}

/** A unit, and how it stands to whatever revision is asked for. */
export type ScheduledUnit = Omit<UnitView, 'at'> & UnitAt

/** A unit that waits for its first delivery. */
export const unit = (cluster: string, over: Partial<ScheduledUnit> = {}): UnitView => {
  const { verified = false, ahead = false, running = false, sameContent = false, ...rest } = over
  const { failure, lacks, gate: closed = [], ...view } = rest
  const at: UnitAt = {
    verified,
    ahead,
    running,
    sameContent,
    failure,
    gate: closed,
    ...(lacks ? { lacks } : {}),
  }
  return {
    cluster,
    labels: {},
    order: cluster,
    clusterState: 'Connected',
    selected: true,
    present: false,
    leaving: false,
    recordRevision: undefined,
    admittedRevision: undefined,
    healthy: false,
    dependants: [],
    ...view,
    at: () => at,
  }
}

export const at = (revision: string) => ({
  present: true,
  recordRevision: revision,
  admittedRevision: revision,
})
export const OLD = { ...at('v1:1'), healthy: true }
export const DONE = { ...at('v1:2'), verified: true, healthy: true }
export const RUNNING = { ...at('v1:2'), running: true }
/** `waiting for certs: not healthy` */
export const notHealthy = (name: string, cluster?: string): NewBlocker =>
  blocked('DependencyNotReady', [{ kind: 'Unit', name, ...(cluster === undefined ? {} : { cluster }) }], {
    edge: name,
    state: 'NotReady',
    detail: 'not healthy',
  })
export const gate = [notHealthy('certs')]

export const entry = (cluster: string, over: Partial<InFlightEntry> = {}): InFlightEntry => ({
  cluster,
  revision: 'v1:2',
  stage: 'all',
  kind: 'Update',
  runSeconds: 0,
  readySeconds: 0,
  ...over,
})

export const inputOf = (
  units: readonly UnitView[],
  over: Partial<ScheduleInput> = {},
  policy: Partial<RolloutPolicy> = {},
): ScheduleInput => ({
  module: 'Module/web',
  deleting: false,
  target: TARGET,
  policy: { ...POLICY, ...policy },
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
  calendar: cronCalendar,
  skewMs: undefined,
  ...over,
})

export const run = (...asked: Parameters<typeof inputOf>): ScheduleOutput => schedule(inputOf(...asked))

export const many = (n: number, over: Partial<ScheduledUnit> = {}): UnitView[] =>
  Array.from({ length: n }, (_, i) => unit(`c${String(i).padStart(3, '0')}`, over))
