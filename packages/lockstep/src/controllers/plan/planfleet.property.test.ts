import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assertProperty } from '../../../../../test/property.ts'
import { cronCalendar } from '../../../../kube/src/env/calendar.ts'
import type { ControllerRevision } from '../../../../kube/src/kinds/types.ts'
import { digestOf } from '../../../../kube/src/object/index.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { API_VERSION } from '../../api/apiversion.ts'
import type { Module, RemoteAssemblage } from '../../api/kinds/index.ts'
import { moduleSpec } from '../../api/kinds/module/spec.ts'
import { moduleId } from '../../decisions/graph/moduleref.ts'
import type { ClusterView } from '../../fleet/clusters/cluster.ts'
import { controllerRevisionOf } from '../cache/revisions.ts'
import { type FleetPlan, type FleetPlanInput, planFleet } from './planfleet.ts'

const NAMESPACE = 'platform'
const stored = (name: string) => ({
  name,
  namespace: NAMESPACE,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
})

const stages = fc.constantFrom(
  [
    { name: 'canary', clusters: ['c0'] },
    { name: 'rest', clusterSelector: {} },
  ],
  [{ name: 'half', size: '50%', soakSeconds: 90 }],
  [
    { name: 'canary', clusters: ['c1'], approval: 'Required' },
    { name: 'rest', clusterSelector: {}, approvalBefore: 'Required', maxConcurrency: 1 },
  ],
  [
    { name: 'never', clusters: ['c0'], gateExpr: 'stage.done > 100' },
    { name: 'rest', clusterSelector: {} },
  ],
)
const rollouts = fc.oneof(
  fc.record({ strategy: fc.constant('Staged'), stages, maxUnavailable: fc.constantFrom(1, 2, '50%') }),
  fc.record({ strategy: fc.constantFrom('Incremental', 'Replace'), minReadySeconds: fc.constantFrom(0, 30) }),
  fc.constant({ windows: [{ schedule: '0 3 * * *', durationSeconds: 600 }] }),
)

interface Given {
  readonly needs: readonly number[]
  readonly rollout: object
  readonly selects: 'all' | 'odd' | 'none'
}
const modules = fc.array(
  fc.record({
    needs: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
    rollout: rollouts,
    selects: fc.constantFrom('all', 'all', 'all', 'odd', 'none'),
  }) as fc.Arbitrary<Given>,
  { maxLength: 4 },
)
const clusters = fc.array(fc.constantFrom('well', 'well', 'well', 'silent', 'paused'), {
  minLength: 1,
  maxLength: 6,
})

const SELECTS = {
  all: { clusterSelector: {} },
  odd: { clusterSelector: { matchLabels: { odd: 'yes' } } },
  none: {},
}

const moduleOf = ({ needs, rollout, selects }: Given, i: number): Stored<Module> => ({
  apiVersion: API_VERSION,
  kind: 'Module',
  metadata: { ...stored(`m${i}`), generation: 1 },
  spec: moduleSpec.parse({
    targets: SELECTS[selects],
    source: { configMaps: [{ name: 'all' }] },
    release: '1',
    rollout,
    // To earlier ones only: cycles are not published.
    dependsOn: needs
      .filter((n) => n < i)
      .map((n) => ({
        id: `m${n}`,
        module: { kind: 'Module', name: `m${n}` },
        // A plan knows no waves within a unit: what asks for some follows all of it.
        ...(n % 2 === 1 ? { beforeWave: 0 } : {}),
      })),
  }),
})

const revisionOf = ({ metadata: { name, uid }, spec }: Stored<Module>): Stored<ControllerRevision> => {
  const revision = digestOf('test/1', name)
  const made = controllerRevisionOf({
    module: { kind: 'Module', namespace: NAMESPACE, name },
    uid,
    spec,
    inputs: [],
    revision,
    bundle: revision,
    values: undefined,
    mentions: [],
    claims: [],
    sourceRevision: '',
    number: 1,
    now: 0,
  })
  return { ...made, metadata: { ...made.metadata, ...stored(made.metadata.name ?? '') } }
}

const viewOf = (state: string, i: number): ClusterView => ({
  kind: 'Secret',
  namespace: NAMESPACE,
  name: `c${i}`,
  standsIn: false,
  objectName: `c${i}`,
  uid: `c${i}`,
  labels: i % 2 === 1 ? { odd: 'yes' } : {},
  annotations: {},
  properties: {},
  paused: state === 'paused' ? 'annotation' : undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Unread', message: '' },
})

const assemblageOf = (state: string, i: number): Stored<RemoteAssemblage> => ({
  apiVersion: API_VERSION,
  kind: 'RemoteAssemblage',
  metadata: stored(`c${i}`),
  spec: { clusterRef: { kind: 'Secret', name: `c${i}` } },
  status: { cluster: state === 'silent' ? 'Unreachable' : 'Connected', clusterUid: `uid-${i}` },
})

function inputOf(given: readonly Given[], states: readonly string[]): FleetPlanInput {
  const made = given.map(moduleOf)
  return {
    namespace: NAMESPACE,
    modules: made,
    revisions: made.map(revisionOf),
    inventories: [],
    assemblages: states.map(assemblageOf),
    clusters: states.map(viewOf),
    holds: [],
    approvals: [],
    disruptionBudgets: [],
    publishes: new Map(
      made.map(({ metadata: { name } }) => [
        moduleId({ kind: 'Module', namespace: NAMESPACE, name }),
        digestOf('test/1', name),
      ]),
    ),
    nowMs: Date.UTC(2026, 0, 1, 12),
    calendar: cronCalendar,
    maxRemoval: '50%',
  }
}

const toldBy = ({ modules: all, ...rest }: FleetPlan): string =>
  JSON.stringify([rest, all.map((m) => [m.ref, m.end, m.widest])])

describe('a plan, whatever fleet it is of', () => {
  it('ends; starts nobody twice, nobody before what it needs, and says why somebody never starts', () => {
    assertProperty(
      fc.property(modules, clusters, (given, states) => {
        const input = inputOf(given, states)
        const plan = planFleet(input)
        const stepOf = new Map<string, number>()
        for (const { module, clusters: all, step } of plan.starts)
          for (const c of all) {
            expect(stepOf.has(`${module.name}@${c}`)).toBe(false)
            stepOf.set(`${module.name}@${c}`, step)
          }
        for (const [unit, step] of stepOf) {
          const [name, cluster] = unit.split('@') as [string, string]
          expect(states[Number(cluster.slice(1))]).toBe('well')
          for (const { id } of input.modules.find((m) => m.metadata.name === name)!.spec.dependsOn ?? [])
            expect(stepOf.get(`${id}@${cluster}`)).toBeLessThan(step)
        }
        for (const { ref, end, units } of plan.modules) {
          const left = units.filter(
            ({ view: v }) =>
              v.selected && v.clusterState === 'Connected' && !stepOf.has(`${ref.name}@${v.cluster}`),
          )
          if (left.length > 0) expect([ref.name, end.blockers.length > 0]).toEqual([ref.name, true])
          expect(end.phase === 'Complete' && left.length > 0).toBe(false)
        }
      }),
      { part: 1 / 4 },
    )
  })

  it('is the same for the same fleet, in whatever order it is listed', () => {
    assertProperty(
      fc.property(modules, clusters, (given, states) => {
        const input = inputOf(given, states)
        const turned = {
          ...input,
          modules: [...input.modules].reverse(),
          clusters: [...input.clusters].reverse(),
          assemblages: [...input.assemblages].reverse(),
          revisions: [...input.revisions].reverse(),
        }
        expect(toldBy(planFleet(turned))).toBe(toldBy(planFleet(input)))
      }),
      { part: 1 / 20 },
    )
  })
})
