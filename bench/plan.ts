/** What deciding costs: the scheduler for one large fleet, and a plan of many modules. Nothing is read or written. */
import type { Stored } from '../src/api/kind.ts'
import type { ControllerRevision } from '../src/api/kinds/foreign.ts'
import { moduleSpec } from '../src/api/kinds/module.ts'
import type { Module } from '../src/api/registry.ts'
import { API_VERSION } from '../src/api/version.ts'
import { planFleet } from '../src/controllers/plan/plan.ts'
import { controllerRevisionOf } from '../src/controllers/revisions.ts'
import { moduleId } from '../src/core/graph/module.ts'
import { schedule } from '../src/core/rollout/schedule.ts'
import type { ScheduleInput, UnitView } from '../src/core/rollout/types.ts'
import { cronCalendar } from '../src/env/calendar.ts'
import type { ClusterView } from '../src/fleet/cluster.ts'
import { digestOf } from '../src/object/object.ts'
import type { Report } from './report.ts'

const NAMESPACE = 'platform'
const WARM = 25

export function deciding(report: Report, { modules, clusters }: { modules: number; clusters: number }): void {
  const input = scheduleInput(10_000)
  const cold = cpu(() => schedule(input))
  const warm = Array.from({ length: WARM }, () => cpu(() => schedule(input))).sort((a, b) => a - b)
  report.figure('schedule, 10,000 units in two stages: CPU ms, first', cold)
  report.figure(`schedule, 10,000 units in two stages: CPU ms, median of ${WARM} more`, warm[WARM >> 1]!)
  const fleet = fleetOf(modules, clusters)
  let starts = 0
  const ms = cpu(() => {
    starts = planFleet(fleet).starts.reduce((n, s) => n + s.clusters.length, 0)
  })
  report.figure(`plan, ${modules} modules on ${clusters} clusters: CPU ms`, ms)
  report.figure(`plan, ${modules} modules on ${clusters} clusters: units started`, starts, modules * clusters)
}

function cpu(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const TWO_STAGES = {
  strategy: 'Staged',
  maxUnavailable: '10%',
  stages: [
    { name: 'canary', size: '5%' },
    { name: 'rest', clusterSelector: {} },
  ],
} as const

function scheduleInput(n: number): ScheduleInput {
  const revision = digestOf('bench/1', 'next')
  const at = {
    ...{ verified: false, ahead: false, sameContent: false, running: false, failure: undefined, gate: [] },
  }
  const units = Array.from(
    { length: n },
    // As the controller makes them: in one piece, so that all are of one shape.
    (_, i): UnitView => ({
      cluster: `c${i}`,
      labels: {},
      order: digestOf('bench/1', i),
      clusterState: 'Connected',
      selected: true,
      present: true,
      recordStage: undefined,
      leaving: false,
      recordRevision: 'old',
      admittedRevision: 'old',
      healthy: true,
      dependants: [],
      hold: undefined,
      at: () => at,
    }),
  )
  return {
    ...{ module: 'Module/web', deleting: false, target: { revision, bundle: revision }, units },
    policy: moduleSpec.parse(specOf([], TWO_STAGES)).rollout,
    ...{ ledger: [], haltedAt: undefined, retry: false, completedAt: undefined, stages: [], approvals: [] },
    ...{ heldBy: undefined, gates: new Map(), clocks: new Map(), soaks: new Map(), elapsedMs: 0, nowMs: 0 },
    ...{ calendar: cronCalendar, skewMs: undefined },
  }
}

const specOf = (needs: readonly string[], rollout: object) => ({
  targets: { clusterSelector: {} },
  source: { configMaps: [{ name: 'all' }] },
  release: '1',
  dependsOn: needs.map((name) => ({ id: name, module: { kind: 'Module', name } })),
  rollout,
})

/** Each module needs the one before it. */
function fleetOf(modules: number, clusters: number) {
  const made = Array.from({ length: modules }, (_, i) => moduleOf(`m${i}`, i === 0 ? [] : [`m${i - 1}`]))
  const revisions = made.map((m, i) => revisionOf(m, i))
  return {
    ...{ namespace: NAMESPACE, modules: made, revisions, inventories: [], assemblages: [] },
    ...{ holds: [], approvals: [], disruptionBudgets: [] },
    ...{ clusters: Array.from({ length: clusters }, (_, i) => clusterOf(`c${i}`)) },
    publishes: new Map(
      made.map((m, i) => [
        moduleId({ kind: 'Module', namespace: NAMESPACE, name: m.metadata.name }),
        digestOf('bench/1', `r${i}`),
      ]),
    ),
    ...{ nowMs: 0, calendar: cronCalendar, maxRemoval: '50%' },
  }
}

const stored = (name: string) => ({
  ...{
    name,
    namespace: NAMESPACE,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
})

const moduleOf = (name: string, needs: readonly string[]): Stored<Module> => ({
  ...{ apiVersion: API_VERSION, kind: 'Module', metadata: { ...stored(name), generation: 1 } },
  spec: moduleSpec.parse(specOf(needs, TWO_STAGES)),
})

function revisionOf({ metadata, spec }: Stored<Module>, i: number): Stored<ControllerRevision> {
  const revision = digestOf('bench/1', `r${i}`)
  const made = controllerRevisionOf({
    module: { kind: 'Module', namespace: NAMESPACE, name: metadata.name },
    ...{ uid: metadata.uid, spec, inputs: [], revision, bundle: revision, values: undefined, mentions: [] },
    ...{ sourceRevision: '', number: 1, now: 0 },
  })
  return { ...made, metadata: { ...made.metadata, ...stored(made.metadata.name ?? '') } }
}

const clusterOf = (name: string): ClusterView => ({
  ...{ kind: 'Secret', namespace: NAMESPACE, name, standsIn: false, objectName: name, uid: name, labels: {} },
  ...{ annotations: {}, properties: {}, paused: undefined, deleting: false, initialized: true },
  access: { type: 'Unread', message: '' },
})
