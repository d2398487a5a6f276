/** What a scheduler may be shown: also what no fleet should ever look like. */
import fc from 'fast-check'
import { cronCalendar } from '../../packages/kube/src/env/calendar.ts'
import {
  type DisruptionBudgetView,
  disruptionBudgetView,
} from '../../packages/lockstep/src/decisions/rollout/budgets/disruption.ts'
import type { RolloutPolicy, StagePolicy } from '../../packages/lockstep/src/decisions/rollout/policy.ts'
import type { UnitRemoval } from '../../packages/lockstep/src/decisions/rollout/removal/unitremoval.ts'
import type {
  ApprovalView,
  ClusterState,
  InFlightEntry,
  ScheduleInput,
  StageState,
  UnitAt,
  UnitHold,
  UnitView,
} from '../../packages/lockstep/src/decisions/rollout/types.ts'
import { notHealthy } from './scheduleinputs.ts'

export const TARGET = { revision: 'v1:2', bundle: 'v1:b2' }

const revision = fc.constantFrom(undefined, 'v1:1', TARGET.revision, TARGET.revision)
const yes = fc.boolean()
const often = fc.constantFrom(true, true, true, false)
const clusterState = fc.constantFrom<ClusterState>(
  'Connected',
  'Connected',
  'Connected',
  'Connected',
  'Connected',
  'Absent',
  'Deleting',
  'Refused',
  'Provisioning',
  'IdentityChanged',
  'Paused',
  'Connecting',
  'Unreachable',
)

const blockers = ['certs', 'ingress'].map((name) => notHealthy(name))

const standing = fc.record<UnitAt>({
  verified: yes,
  ahead: fc.constantFrom(false, false, false, true),
  sameContent: yes,
  rebinds: fc.constantFrom(false, false, false, true),
  running: yes,
  failure: fc.constantFrom(undefined, undefined, undefined, 'broken'),
  gate: fc.constantFrom([], [], [], blockers.slice(0, 1), blockers),
  demanded: fc.constantFrom(false, false, false, true),
})

/** At work, refused, and waiting for others. */
const REMOVALS: readonly UnitRemoval[] = [
  { isRunning: true, waits: [], failure: undefined, lacks: 'terminating' },
  { isRunning: false, waits: [], failure: 'denied', lacks: 'denied' },
  { isRunning: false, waits: blockers, failure: undefined, lacks: undefined },
]

const hold = fc.constantFrom<UnitHold | undefined>(
  ...Array.from({ length: 12 }, () => undefined),
  { action: 'Pause', by: 'h' },
  { action: 'Suspend', by: 'h' },
  { action: 'Pin', by: 'h', revision: 'v1:1' },
  { action: 'Pin', by: 'h', revision: TARGET.revision },
  { action: 'Conflict', by: 'h', and: 'i' },
  { action: 'Unknown', by: 'h', wanted: '0123456789' },
)

const label = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { tier: 'canary' },
  { tier: '9' },
  { tier: '10' },
)

/** To the target, and to everything else. */
const at = fc.tuple(standing, standing).map(
  ([now, before]) =>
    (revision: string): UnitAt =>
      revision === TARGET.revision ? now : before,
)

const unit = fc.record<Omit<UnitView, 'cluster'>>({
  labels: label,
  // Few, so that units of equal order meet.
  order: fc.constantFrom('a', 'b', 'c'),
  clusterState,
  suspected: fc.constantFrom(undefined, undefined, undefined, true),
  recordStage: fc.constantFrom(undefined, 'canary', 'rest', 'by/9'),
  selected: often,
  present: yes,
  leaving: fc.constantFrom(false, false, false, true),
  recordRevision: revision,
  admittedRevision: revision,
  healthy: yes,
  dependants: fc.constantFrom([], [], blockers),
  removal: fc.constantFrom(undefined, ...REMOVALS),
  hold,
  at,
})

/** Where it is not admitted nothing is verified, runs or fails. */
const admittedOnly =
  (u: Pick<UnitView, 'admittedRevision' | 'recordRevision' | 'at'>) =>
  (revision: string): UnitAt => {
    const { sameContent, gate, failure, rebinds, ...rest } = u.at(revision)
    // What is not assigned is bound to nothing else, and its failure counts for nothing.
    const assigned =
      revision === u.recordRevision ? { rebinds: rebinds === true, failure } : { failure: undefined }
    if (revision === u.admittedRevision) return { ...rest, ...assigned, sameContent, gate }
    return { verified: false, ahead: false, running: false, failure: undefined, sameContent, gate }
  }

const entry = fc.record<Omit<InFlightEntry, 'cluster'>>({
  revision: fc.constantFrom('v1:1', TARGET.revision),
  stage: fc.constantFrom('all', 'canary', 'rest', ''),
  kind: fc.constantFrom('Install', 'Update', 'Remove', 'PinMove', 'Rebind'),
  runSeconds: fc.constantFrom(0, 59, 60, 5000),
  readySeconds: fc.constantFrom(0, 59, 60),
  failed: fc.constantFrom(undefined, undefined, undefined, 'it was slow'),
  again: fc.constantFrom(undefined, undefined, true as const),
})

const amount = fc.constantFrom(undefined, 0, 1, 3, 1000, '0%', '30%', '100%', 'many', '-1')

const window = fc.constantFrom(
  { action: 'Allow' as const, schedule: '0 * * * *', durationSeconds: 600 },
  { action: 'Deny' as const, schedule: '30 * * * *', durationSeconds: 900, timeZone: 'Europe/Berlin' },
)
const windows = fc.option(fc.array(window, { maxLength: 2 }), { nil: undefined, freq: 1 })
const needed = fc.constantFrom(undefined, undefined, 'Required' as const)

const stage = (name: string, members: Partial<StagePolicy>): fc.Arbitrary<StagePolicy> =>
  fc
    .record({
      order: fc.constantFrom('Hash' as const, 'Name' as const, 'Label' as const),
      maxConcurrency: amount,
      maxUnavailable: amount,
      maxFailed: amount,
      soakSeconds: fc.constantFrom(0, 0, 60),
      approval: needed,
      approvalBefore: needed,
      windows,
      gateExpr: fc.constantFrom(
        undefined,
        undefined,
        'stage.failed == 0',
        'units.all(u, u.labels.tier != "")',
        '1',
      ),
    })
    .map((s) => ({ ...s, name, ...members, orderLabel: 'tier' }))

const stages: fc.Arbitrary<readonly StagePolicy[]> = fc.oneof(
  fc.tuple(
    stage('canary', { clusterSelector: { matchLabels: { tier: 'canary' } } }),
    stage('named', { clusters: ['c1', 'c2'] }),
  ),
  fc.tuple(stage('first', { size: '30%' }), stage('rest', { clusterSelector: {} })),
  fc.tuple(stage('by', { groupBy: 'tier' })),
)
const batches = fc.record({ size: fc.constantFrom(1, '30%'), minClusters: fc.constantFrom(1, 4) })
/** Batches are there for whom has no stages of its own. */
const parted = fc.oneof(
  { arbitrary: stages.map((s) => ({ stages: s })), weight: 4 },
  { arbitrary: batches.map((b) => ({ batches: b })), weight: 1 },
)

const unparted = fc.record<RolloutPolicy>({
  strategy: fc.constantFrom('Incremental', 'Replace', 'Staged', 'Staged', 'External'),
  windows,
  maxNew: amount,
  maxSurge: amount,
  updates: fc.constantFrom(undefined, undefined, 'Once'),
  maxUnavailable: amount,
  maxFailed: amount,
  maxUnreachable: amount,
  minReadySeconds: fc.constantFrom(0, 0, 60),
  progressDeadlineSeconds: fc.constantFrom(0, 60, 1800),
  onFailure: fc.constantFrom('Halt', 'Continue', 'Rollback'),
  joining: fc.constantFrom(undefined, 'LastComplete', 'Target'),
  rollback: fc.constantFrom(undefined, { withDependents: true, respectWindows: true }),
})
const policy = fc.tuple(unparted, parted).map(([rest, parts]): RolloutPolicy => ({ ...rest, ...parts }))

const clock = fc.record({
  runMs: fc.constantFrom(0, 59_999, 60_000),
  // What has just begun is below nothing (ADR 0044).
  readyMs: fc.constantFrom(-800, 0, 60_000),
  isRunning: yes,
  isReady: yes,
})
const row = fc.record({
  unit: fc.option(unit, { freq: 8, nil: undefined }),
  entry: fc.option(entry, { freq: 1, nil: undefined }),
  clock: fc.option(clock, { freq: 1, nil: undefined }),
})

const stageName = fc.constantFrom('all', 'canary', 'named', 'first', 'rest', 'by/', 'by/9')
const past = fc.constantFrom(undefined, '2026-01-01T00:00:00Z')
const stageState = fc.record<StageState>({
  name: stageName,
  cut: fc.constantFrom(undefined, 'a', 'b'),
  openedAt: past,
  soakSeconds: fc.constantFrom(undefined, 0, 59, 60),
  completedAt: past,
})
const approval = fc.record<ApprovalView>({
  name: fc.constantFrom('a1', 'a2'),
  stage: stageName,
  point: fc.constantFrom('Before', 'After'),
  revisionHash: fc.constantFrom(TARGET.revision, 'v1:1'),
  approvedBy: fc.constant('ann'),
})

/** Clusters by number: as bits. */
const some = fc.nat(255)
const moduleName = fc.constantFrom('Module/web', 'Module/db')
const TIME = '2026-01-01T00:00:00Z'

interface BudgetDraw {
  readonly name: string
  readonly limit: readonly ['maxUnavailable' | 'minAvailable', number | string | undefined]
  readonly counted: number
  readonly unwell: number
  readonly places: readonly { readonly module: string; readonly cluster: string; readonly since: string }[]
  readonly waiters: readonly string[]
  readonly freeMs: number
}

const place = fc.record({
  module: moduleName,
  cluster: fc.nat(8).map((i) => `c${i}`),
  since: fc.constant(TIME),
})
const budgetDraw: fc.Arbitrary<BudgetDraw> = fc.record({
  name: fc.constantFrom('eu', 'us', 'all'),
  limit: fc.tuple(
    fc.constantFrom('maxUnavailable' as const, 'minAvailable' as const),
    fc.constantFrom(0, 1, 2, 5, '30%', '100%', undefined),
  ),
  counted: some,
  unwell: fc.constantFrom(0, 0, 1, 6, 128),
  places: fc.uniqueArray(place, { selector: (e) => `${e.module} ${e.cluster}`, maxLength: 3 }),
  waiters: fc.uniqueArray(moduleName, { maxLength: 2 }),
  freeMs: fc.constantFrom(0, 9999, 10_000),
})

const has = (bits: number, cluster: string): boolean => (bits & (1 << (Number(cluster.slice(1)) % 8))) !== 0

/** What is down, in flight or silent is seen to be so; others may be disrupted by other modules. */
function budgetOf(
  d: BudgetDraw,
  units: readonly UnitView[],
  ledger: readonly InFlightEntry[],
): DisruptionBudgetView {
  const isUnderWay = (u: UnitView): boolean =>
    u.leaving || (u.recordRevision !== undefined && u.recordRevision !== u.admittedRevision)
  const isDown = (u: UnitView): boolean => isUnderWay(u) || (u.admittedRevision !== undefined && !u.healthy)
  const unwell = new Set(ledger.map((e) => e.cluster))
  for (const u of units) if (isDown(u) || has(d.unwell, u.cluster)) unwell.add(u.cluster)
  return disruptionBudgetView({
    name: d.name,
    spec: { clusterSelector: {}, [d.limit[0]]: d.limit[1] },
    ledger: d.places,
    waiters: d.waiters.map((module) => ({ module, since: TIME })),
    clusters: units
      .filter((u) => has(d.counted, u.cluster))
      .map(({ cluster: name, labels, clusterState }) => ({
        name,
        labels,
        isUnreachable: clusterState === 'Unreachable' || clusterState === 'Refused',
      })),
    unwell,
    freeMs: d.freeMs,
  })
}

const latch = fc.constantFrom(undefined, undefined, 'v1:1', TARGET.revision)

/** A removal needs a request. */
const removalOf = ({ leaving, removal }: Pick<UnitView, 'leaving' | 'removal'>) => ({
  removal: leaving ? removal : undefined,
})

export const scheduleInputs: fc.Arbitrary<ScheduleInput> = fc
  .record({
    rows: fc.oneof(
      { arbitrary: fc.array(row, { maxLength: 8 }), weight: 80 },
      // A fleet of some size now and then: what is quadratic, or right for small numbers only, shows.
      { arbitrary: fc.array(row, { minLength: 80, maxLength: 200, size: 'max' }), weight: 1 },
    ),
    policy,
    deleting: fc.constantFrom(false, false, false, true),
    target: fc.constantFrom(TARGET, TARGET, TARGET, undefined),
    haltedAt: latch,
    rollbackCause: fc.constantFrom(undefined, undefined, undefined, 'Undo' as const, 'Rollback' as const),
    rolledBackFrom: fc.constantFrom(undefined, 'v1:1', TARGET.revision),
    lastComplete: fc.constantFrom(undefined, 'v1:1', TARGET.revision),
    retry: fc.constantFrom(false, false, true),
    completedAt: latch,
    elapsedMs: fc.constantFrom(0, 1, 1000, 3_600_000),
    lateMs: fc.constantFrom(undefined, 0, 800),
    nowMs: fc.nat(7_200_000),
    skewMs: fc.constantFrom(undefined, undefined, undefined, 60_000),
    heldBy: fc.constantFrom(undefined, undefined, undefined, 'handbrake'),
    stages: fc.uniqueArray(stageState, { selector: (s) => s.name, maxLength: 3 }),
    approvals: fc.array(approval, { maxLength: 2 }),
    budgets: fc.uniqueArray(budgetDraw, { selector: (b) => b.name, maxLength: 2 }),
    gates: fc.constantFrom(new Map(), new Map(), new Map([['canary', blockers]])),
  })
  .map(({ rows, budgets, ...rest }) => {
    const named = rows.map((r, i) => ({ ...r, cluster: `c${i}` }))
    const units = named.flatMap((r) =>
      r.unit ? [{ ...r.unit, ...removalOf(r.unit), at: admittedOnly(r.unit), cluster: r.cluster }] : [],
    )
    const ledger = named.flatMap((r) => (r.entry ? [{ ...r.entry, cluster: r.cluster }] : []))
    return {
      module: 'Module/web',
      calendar: cronCalendar,
      ...rest,
      units,
      ledger,
      budgets: budgets.map((b) => budgetOf(b, units, ledger)),
      soaks: new Map(),
      ran: new Map(named.flatMap((r) => (r.clock ? [[r.cluster, r.clock.runMs / 1000] as const] : []))),
      clocks: new Map(named.flatMap((r) => (r.clock ? [[r.cluster, r.clock] as const] : []))),
    }
  })
