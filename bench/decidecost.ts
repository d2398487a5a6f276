/** Cost of decisions: the scheduler for one large fleet, and a plan of many modules. Nothing is read or written. */

import { cronCalendar } from '../packages/kube/src/env/calendar.ts'
import { digestOf } from '../packages/kube/src/object/index.ts'
import { moduleSpec } from '../packages/lockstep/src/api/kinds/module/spec.ts'
import { planFleet } from '../packages/lockstep/src/controllers/plan/planfleet.ts'
import { schedule } from '../packages/lockstep/src/decisions/rollout/schedule.ts'
import type { ScheduleInput, UnitView } from '../packages/lockstep/src/decisions/rollout/types.ts'
import { fleetOf, specOf } from '../test/arbitrary/largefleet.ts'
import type { BenchReport } from './benchreport.ts'

const WARM = 25

export function deciding(
  report: BenchReport,
  { modules, clusters }: { modules: number; clusters: number },
): void {
  const input = scheduleInput(10_000)
  const cold = cpu(() => schedule(input))
  const warm = Array.from({ length: WARM }, () => cpu(() => schedule(input))).sort((a, b) => a - b)
  report.figure('schedule, 10,000 units in two stages: CPU ms, first', cold)
  report.figure(`schedule, 10,000 units in two stages: CPU ms, median of ${WARM} more`, warm[WARM >> 1]!)
  const fleet = fleetOf(modules, clusters, TWO_STAGES)
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

export function scheduleInput(n: number): ScheduleInput {
  const revision = digestOf('bench/1', 'next')
  const at = {
    verified: false,
    ahead: false,
    sameContent: false,
    running: false,
    failure: undefined,
    gate: [],
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
    module: 'Module/web',
    deleting: false,
    target: { revision, bundle: revision },
    units,
    policy: moduleSpec.parse(specOf([], TWO_STAGES)).rollout,
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
  }
}
