/** What a scheduler may be shown: also what no fleet should ever look like. */
import fc from 'fast-check'
import type {
  ClusterState,
  LedgerEntry,
  RolloutPolicy,
  ScheduleInput,
  UnitView,
} from '../../src/core/rollout/types.ts'

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
  'Unreachable',
)

const blockers = ['certs', 'ingress'].map((name) => ({
  reason: 'DependencyNotReady' as const,
  message: `${name}: not healthy`,
  subject: `Module/${name}@c`,
}))

const unit = fc.record<Omit<UnitView, 'cluster'>>({
  // Few, so that units of equal order meet.
  order: fc.constantFrom('a', 'b', 'c'),
  clusterState,
  selected: often,
  present: yes,
  leaving: fc.constantFrom(false, false, false, true),
  recordRevision: revision,
  admittedRevision: revision,
  verified: yes,
  ahead: fc.constantFrom(false, false, false, true),
  healthy: yes,
  sameContent: yes,
  running: yes,
  failure: fc.constantFrom(undefined, undefined, undefined, 'broken'),
  gate: fc.constantFrom([], [], [], blockers.slice(0, 1), blockers),
})

const entry = fc.record<Omit<LedgerEntry, 'cluster'>>({
  revision: fc.constantFrom('v1:1', TARGET.revision),
  stage: fc.constant('all'),
  kind: fc.constantFrom('Install', 'Update', 'Remove'),
  runSeconds: fc.constantFrom(0, 59, 60, 5000),
  readySeconds: fc.constantFrom(0, 59, 60),
  failed: fc.constantFrom(undefined, undefined, undefined, 'it was slow'),
})

const amount = fc.constantFrom(undefined, 0, 1, 3, 1000, '0%', '30%', '100%', 'many', '-1')

const policy = fc.record<RolloutPolicy>({
  strategy: fc.constantFrom('Incremental', 'Replace'),
  maxUnavailable: amount,
  maxFailed: amount,
  maxUnreachable: amount,
  minReadySeconds: fc.constantFrom(0, 0, 60),
  progressDeadlineSeconds: fc.constantFrom(0, 60, 1800),
  onFailure: fc.constant('Halt'),
})

const clock = fc.record({ runMs: fc.constantFrom(0, 59_999, 60_000), readyMs: fc.constantFrom(0, 60_000) })
const row = fc.record({
  unit: fc.option(unit, { freq: 8, nil: undefined }),
  entry: fc.option(entry, { freq: 1, nil: undefined }),
  clock: fc.option(clock, { freq: 1, nil: undefined }),
})

const latch = fc.constantFrom(undefined, undefined, 'v1:1', TARGET.revision)

export const scheduleInputs: fc.Arbitrary<ScheduleInput> = fc
  .record({
    rows: fc.array(row, { maxLength: 8 }),
    policy,
    deleting: fc.constantFrom(false, false, false, true),
    target: fc.constantFrom(TARGET, TARGET, TARGET, undefined),
    haltedAt: latch,
    retry: fc.constantFrom(false, false, true),
    completedAt: latch,
    elapsedMs: fc.constantFrom(0, 1, 1000, 3_600_000),
  })
  .map(({ rows, ...rest }) => {
    const named = rows.map((r, i) => ({ ...r, cluster: `c${i}` }))
    return {
      module: 'Module/web',
      ...rest,
      units: named.flatMap((r) => (r.unit ? [{ ...r.unit, cluster: r.cluster }] : [])),
      ledger: named.flatMap((r) => (r.entry ? [{ ...r.entry, cluster: r.cluster }] : [])),
      clocks: new Map(named.flatMap((r) => (r.clock ? [[r.cluster, r.clock] as const] : []))),
    }
  })
