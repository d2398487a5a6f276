/** What a controller sums up: of a module's units on all clusters, and of one unit. */
import fc from 'fast-check'
import { blocked, type NewBlocker } from '../../packages/lockstep/src/api/blocker.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/index.ts'
import type { InventoryStatus } from '../../packages/lockstep/src/api/kinds/inventory/status.ts'
import type { ModuleStatus } from '../../packages/lockstep/src/api/kinds/module/status.ts'
import type { ModuleStatusInput } from '../../packages/lockstep/src/controllers/module/modulestatus.ts'
import type { UnitFacts } from '../../packages/lockstep/src/controllers/module/unitviews.ts'
import type { UnitReport } from '../../packages/lockstep/src/controllers/unit/unitstatus.ts'
import { schedule } from '../../packages/lockstep/src/decisions/rollout/schedule.ts'
import type { TargetRevisionCause } from '../../packages/lockstep/src/decisions/rollout/targetrevision.ts'
import type { UnitHealth } from '../../packages/lockstep/src/deliver/state/unithealth.ts'
import type { ClusterView } from '../../packages/lockstep/src/fleet/clusters/cluster.ts'
import { inherited } from './arbitraryjson.ts'
import { moduleOf, recordOf, specs } from './arbitrarymodule.ts'
import { scheduleInputs } from './arbitraryrollout.ts'

export const NOW = '2026-01-01T00:01:00Z'
const BEFORE = '2026-01-01T00:00:00Z'

const blocker = fc.record<NewBlocker>({
  reason: fc.constantFrom(
    'Applying',
    'ApplyFailed',
    'DependencyNotReady',
    'ClusterUnreachable',
    'SelectsNothing',
  ),
  message: fc.constantFrom('', 'it is refused', 'a\nb'),
  on: fc.constantFrom([{ kind: 'Unit', name: 'a', cluster: 'c' } as const], []),
  facts: fc.constantFrom({}, { edge: 'a' }),
})
const blockers = fc.array(blocker, { maxLength: 12 })

const fault = fc.record({
  reason: fc.constantFrom('RenderFailed' as const, 'HubUnreachable' as const),
  message: fc.constantFrom('one', 'one\ntwo'),
  on: fc.constant([]),
  facts: fc.constant({}),
  transient: fc.boolean(),
})

const oldBlockers = blockers.map((list) => list.slice(0, 10).map((b) => ({ ...b, since: BEFORE })))
const READY = {
  type: 'Ready',
  status: 'True' as const,
  reason: 'Complete',
  message: '',
  lastTransitionTime: BEFORE,
}
const oldConditions = fc.boolean().map((has) => (has ? [READY] : []))

const oldModuleStatus: fc.Arbitrary<ModuleStatus | undefined> = fc.option(
  fc.record({
    blockers: oldBlockers,
    conditions: oldConditions,
    rollout: fc.record({
      phase: fc.constantFrom('Complete' as const, 'Halted' as const),
      revision: fc.constantFrom('v1:0', undefined),
      from: fc.constantFrom('v1:f', undefined),
      startedAt: fc.constant(BEFORE),
    }),
  }),
  { nil: undefined },
)

const REMOVAL = {
  total: 3,
  left: 2,
  failed: 1,
  maxFailed: 1,
  failures: [{ cluster: 'c1', message: 'ConfigMap a: denied' }],
  waits: [],
  isStuck: true,
}

/** Drawn once: what they are made of has its own properties. */
const POOL = { numRuns: 300, seed: 3 }
const someSpecs = fc.sample(specs, POOL)

export const moduleStatusInputs: fc.Arbitrary<ModuleStatusInput> = fc
  .record({
    spec: fc.constantFrom(...someSpecs),
    allowEmpty: fc.constantFrom(undefined, true),
    status: oldModuleStatus,
    isPublished: fc.boolean(),
    settling: fc.boolean(),
    rehashed: fc.constantFrom(undefined, '1', '2'),
    handled: fc.constantFrom(undefined, '1', '2'),
    retried: fc.constantFrom(undefined, '1', '2'),
    cause: fc.constantFrom<TargetRevisionCause[]>(
      'Publish',
      'Publish',
      'Wait',
      'Undo',
      'Rollback',
      'Dependency',
    ),
    source: fc.option(fault, { nil: undefined, freq: 1 }),
    rollout: fc.constantFrom(...fc.sample(scheduleInputs, POOL).map(schedule)),
    removal: fc.constantFrom(undefined, REMOVAL),
    blockers,
    notCompared: fc.constantFrom([], [], ['a: a sets no release']),
    older: fc.constantFrom(undefined, undefined, '^1 resolves to 1.2.2, older than the published 1.2.3'),
    behind: fc.constantFrom(undefined, 'Unknown' as const, { message: 'branch main has moved to 398036d' }),
    drifted: fc.constantFrom([], [], ['c1: 1 object: ConfigMap a (deleted)']),
    handovers: fc.constant({ pending: [], given: [] }),
  })
  .map(({ spec: drawn, allowEmpty, status, isPublished, cause, ...rest }) => {
    const spec = { ...drawn, targets: { ...drawn.targets, allowEmpty } }
    const current = isPublished ? recordOf(spec, []) : undefined
    const wanted = cause === 'Publish' || !current ? current : { ...current, revision: 'v1:0' }
    const refused = cause === 'Rollback' ? { refused: current?.revision } : {}
    return {
      module: moduleOf(spec, status === undefined ? {} : { status }),
      current,
      wanted,
      goal: wanted && { revision: wanted.revision, cause, ...refused },
      now: NOW,
      ...rest,
    }
  })

const labels = fc.dictionary(fc.oneof(fc.constantFrom('env'), inherited), fc.constantFrom('prod', 'dev'), {
  maxKeys: 2,
})
const key = fc.oneof(fc.constantFrom('env'), inherited)

const targets: fc.Arbitrary<NonNullable<Module['spec']['targets']>> = fc.record(
  {
    clusterSelector: fc.record(
      {
        matchLabels: fc.dictionary(key, fc.constantFrom('prod', 'none'), { maxKeys: 2 }),
        matchExpressions: fc.array(
          fc.record({
            key,
            operator: fc.constantFrom('Exists' as const, 'In' as const),
            values: fc.constant(['x']),
          }),
          { maxLength: 1 },
        ),
      },
      { requiredKeys: [] },
    ),
    exclude: fc.constantFrom({}, { matchLabels: { env: 'dev' } }),
    clusters: fc.array(fc.constantFrom('c0', 'c9'), { maxLength: 2 }),
    inventories: fc.constantFrom(['Secret' as const], ['ClusterAPI' as const, 'ArgoCD' as const]),
    properties: fc.constantFrom(
      [{ name: 'region', operator: 'In' as const, values: ['eu'] }],
      [{ name: 'region', operator: 'DoesNotExist' as const }],
    ),
    hub: fc.boolean(),
    allowEmpty: fc.boolean(),
  },
  { requiredKeys: [] },
)

const cluster = fc
  .record({
    name: fc.constantFrom('c0', 'c1', 'c2'),
    kind: fc.constantFrom('Secret', 'ClusterAPI', 'ArgoCD', 'Hub'),
    properties: fc.constantFrom<Record<string, string>>({}, { region: 'eu' }, { region: 'us' }),
    labels,
  })
  .map(
    (c): ClusterView => ({
      ...c,
      namespace: 'platform',
      standsIn: false,
      objectName: c.name,
      uid: `uid-${c.name}`,
      annotations: {},
      paused: undefined,
      deleting: false,
      initialized: true,
      access: { type: 'Missing', message: '' },
    }),
  )

export const targeted = fc.record({ targets, cluster })

/** Everything that a Module's further blockers are made of. */
export const moduleFacts = fc
  .record({
    spec: fc.constantFrom(...someSpecs),
    targets: fc.option(targets, { nil: undefined }),
    clusters: fc.uniqueArray(cluster, { selector: (c) => c.name, maxLength: 3 }),
    units: fc.constantFrom(...fc.sample(scheduleInputs, POOL).map((i) => i.units)),
    reason: fc.constantFrom(undefined, 'ClusterUnreachable' as const, 'KubeconfigMissing' as const),
    deleting: fc.boolean(),
    told: blockers,
  })
  .map(({ spec, targets: t, clusters, units: views, reason, deleting, told }) => {
    const module = moduleOf({ ...spec, targets: t })
    const units = views.map((view): UnitFacts => {
      const status = { blockers: told.map((b) => ({ ...b, since: BEFORE })) }
      return {
        view,
        cluster: clusters[0],
        condition: {
          state: view.clusterState,
          reason,
          message: 'no answer',
          ...(reason
            ? { blocker: blocked('ClusterUnreachable', [{ kind: 'Cluster', name: view.cluster }], {}) }
            : {}),
        },
        record: undefined,
        wanted: () => ({ values: undefined, blockers: [], isPending: false }),
        inventory: { status } as UnitFacts['inventory'],
      }
    })
    const metadata = deleting ? { ...module.metadata, deletionTimestamp: BEFORE } : module.metadata
    return { module: { ...module, metadata }, units, clusters }
  })

const health: fc.Arbitrary<UnitHealth> = fc.record({
  health: fc.constantFrom('Healthy', 'Progressing', 'Failed'),
  objects: fc.constant({ total: 2, applied: 1, ready: 1, failed: 0, blocked: 0 }),
  blockers,
  failure: fc.constantFrom(undefined, 'refused'),
})

export const unitReports: fc.Arbitrary<UnitReport> = fc.record({
  state: fc.constantFrom('Ready', 'Failed', 'Delivering', 'Blocked', 'Waiting', 'Removing'),
  health: fc.option(health, { nil: undefined }),
  blockers,
  contentDigest: fc.constant('v1:c'),
  delivered: fc.boolean(),
  doneBeforeWave: fc.constantFrom(undefined, -5, 10),
})

export const oldUnitStatus: fc.Arbitrary<InventoryStatus | undefined> = fc.option(
  fc.record({
    blockers: oldBlockers,
    conditions: oldConditions,
    verifiedGateDigest: fc.constantFrom('v1:g', 'v1:older'),
    admittedSerial: fc.constantFrom(1, 2),
    doneBeforeWave: fc.constantFrom(undefined, 5),
    health: fc.constantFrom('Healthy' as const, 'Failed' as const),
    state: fc.constant('Ready'),
  }),
  { nil: undefined },
)
