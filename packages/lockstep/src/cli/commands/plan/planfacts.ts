/** A plan of the fleet in numbers and names. */

import { short10 } from '@lockstep/kube/object'
import { subjectOf } from '../../../api/blocker.ts'
import { edgesOf, type RevisionRecord } from '../../../controllers/cache/index.ts'
import type { ModulePlan, PlannedStart } from '../../../controllers/plan/index.ts'
import {
  type DependencyEdge,
  isModuleEdge,
  moduleEdges,
  moduleId,
  moduleText,
  objectText,
} from '../../../decisions/graph/index.ts'
import {
  approveCommand,
  openingText,
  type RolloutWindow,
  type StagePolicy,
  selectedTwice,
  windowsAt,
} from '../../../decisions/rollout/index.ts'
import { handoverFacts, type PlannedFleet, type PlannedModule } from '../../kit/fleetplan/index.ts'
import type { FleetPlanFacts, ModulePlanFacts } from './fleetplanreport.ts'

const DONE: ReadonlySet<string> = new Set(['Complete', 'Idle'])

export function planFacts(p: PlannedFleet): FleetPlanFacts {
  const { plan } = p
  const layers = layersOf(p)
  const files = [...p.brought.values()].some((b) => b.isWritten)
  const isMeant = (m: ModulePlan): boolean => {
    const isMoving = plan.starts.some((s) => s.module === m.ref)
    return !files || isMoving || p.brought.get(moduleId(m.ref))?.isWritten === true
  }
  const modules = plan.modules
    .filter(isMeant)
    .map((m) => moduleFacts(p, m, layers.get(moduleId(m.ref)) ?? 1))
    .sort((a, b) => a.layer - b.layer || (a.module < b.module ? -1 : 1))
  return {
    namespace: p.namespace,
    clusters: p.clusters.length,
    moves: plan.starts.reduce((n, s) => n + s.clusters.length, 0),
    completes: modules.every((m) => m.completes),
    modules,
    starts: plan.starts.map(({ step, afterMs, module, kind, stage, clusters }) => ({
      step,
      afterSeconds: Math.round(afterMs / 1000),
      module: moduleText(module),
      action: kind,
      stage,
      clusters: [...clusters],
    })),
    approvals: plan.approvals.map(({ module, stage, point, step }) => ({
      module: moduleText(module),
      stage,
      point,
      afterStep: step,
      command: approveCommand({ module: moduleText(module), stage, point }),
    })),
    handovers: handoverFacts(p.handovers),
    disruptionBudgets: plan.budgets.map((b) => ({ ...b })),
    widest: { ...plan.widest },
    layers: new Set(modules.map((m) => m.layer)).size,
    seconds: Math.round(plan.tookMs / 1000),
  }
}

/** What would be published needs; of what cannot be, what its spec says. */
function needsOf(
  { history, brought }: PlannedFleet,
  { current, module, ref }: ModulePlan,
): readonly DependencyEdge[] {
  if (brought.get(moduleId(ref))?.problem) return edgesOf(module.spec.dependsOn, ref.namespace)
  const known = history.find((r) => r.revision === current?.revision && moduleId(r.module) === moduleId(ref))
  return known?.edges ?? edgesOf(module.spec.dependsOn, ref.namespace)
}

/** The longest way down, for each. */
function layersOf(p: PlannedFleet): Map<string, number> {
  const below = new Map(
    p.plan.modules.map((m) => [moduleId(m.ref), moduleEdges(needsOf(p, m)).map((e) => moduleId(e.to))]),
  )
  const known = new Map<string, number>()
  const layerOf = (id: string): number => {
    const found = known.get(id)
    if (found !== undefined) return found
    // There are no cycles: those are refused before anything is planned. One that was published long ago ends here.
    known.set(id, 1)
    const needs = (below.get(id) ?? []).filter((x) => below.has(x))
    const layer = 1 + Math.max(0, ...needs.map(layerOf))
    known.set(id, layer)
    return layer
  }
  for (const id of below.keys()) layerOf(id)
  return known
}

function moduleFacts(p: PlannedFleet, m: ModulePlan, layer: number): ModulePlanFacts {
  const brought = p.brought.get(moduleId(m.ref))!
  const { rollout } = brought.module.spec
  const starts = p.plan.starts.filter((s) => s.module === m.ref)
  const named = (kind: PlannedStart['kind']): string[] =>
    starts.filter((s) => s.kind === kind).flatMap((s) => s.clusters)
  const { phase, budgets, counters } = m.end
  const { problem } = brought
  const isOver = DONE.has(phase) || (isDeleted(brought) && counters.total === 0)
  const completes = !problem && isOver
  const windows = windowsOf(p, rollout.windows)
  return {
    kind: m.ref.kind,
    module: m.ref.name,
    namespace: m.ref.namespace,
    ...changeOf(brought),
    ...(m.before ? { from: shown(m.before) } : {}),
    ...(m.current ? { to: shown(m.current) } : {}),
    layer,
    clusters: counters.total,
    moves: starts.reduce((n, s) => n + s.clusters.length, 0),
    selected: m.units.flatMap(({ view }) => (view.selected ? [view.cluster] : [])),
    needs: needsOf(p, m).map(needOf),
    strategy: rollout.strategy,
    maxUnavailable: budgets.maxUnavailable?.max ?? 0,
    stages: rollout.strategy === 'Staged' ? stagesOf(p, m, brought, starts) : [],
    ...(windows ? { windows } : {}),
    selectedTwice: selectedTwice(
      rollout,
      m.units.flatMap(({ view }) => (view.selected ? [view] : [])),
    ).map(({ cluster, stages: [first, second] }) => ({ cluster, in: first, also: second })),
    pinned: m.units.flatMap(({ view: { cluster, hold } }) =>
      hold?.action === 'Pin' ? [{ cluster, by: hold.by }] : [],
    ),
    joins: named('Install'),
    leaves: named('Remove'),
    widest: m.widest,
    phase,
    completes,
    waits: waitsOf(m, problem),
  }
}

function waitsOf({ module, ref }: ModulePlan, problem: PlannedModule['problem']): ModulePlanFacts['waits'] {
  const waits = (module.status?.blockers ?? []).map(({ reason, on, message, count }) => ({
    reason,
    subject: subjectOf(on),
    message,
    ...(count === undefined ? {} : { count }),
  }))
  if (!problem) return waits
  const { reason, message } = problem
  return [{ reason, subject: moduleText(ref), message: `cannot be published: ${message}` }, ...waits]
}

const isDeleted = ({ module: { metadata } }: PlannedModule): boolean =>
  metadata.deletionTimestamp !== undefined

function changeOf(brought: PlannedModule): Pick<ModulePlanFacts, 'change' | 'isGuess' | 'objects' | 'total'> {
  const { before, next, changes } = brought
  const written = before ? (next ? 'changed' : 'unchanged') : 'new'
  const change = isDeleted(brought) ? 'deleted' : written
  return {
    change,
    isGuess: next?.isGuess ?? false,
    ...(changes ? { objects: [...changes] } : {}),
    ...(next?.objects ? { total: next.objects.length } : {}),
  }
}

const shown = ({ revision, release }: RevisionRecord) => ({
  revision: short10(revision),
  ...(release === undefined ? {} : { release }),
})

const needOf = (edge: DependencyEdge): ModulePlanFacts['needs'][number] => {
  const { id, optional } = edge
  if (!isModuleEdge(edge)) return { id, on: objectText(edge.object), optional }
  const { to, cluster, release } = edge
  return { id, on: moduleText(to), ...(cluster === undefined ? {} : { cluster }), release, optional }
}

const FIRST = 10

function stagesOf(
  p: PlannedFleet,
  { end }: ModulePlan,
  { module }: PlannedModule,
  starts: readonly PlannedStart[],
): ModulePlanFacts['stages'] {
  const policies = new Map((module.spec.rollout.stages ?? []).map((s) => [s.name, s as StagePolicy]))
  return end.stages.map(({ name, total }) => {
    const policy = policies.get(name) ?? policies.get(name.split('/')[0]!)
    const members = starts.filter((s) => s.stage === name).flatMap((s) => s.clusters)
    const windows = windowsOf(p, policy?.windows)
    return {
      name,
      clusters: total,
      starts: members.length,
      first: members.slice(0, FIRST),
      ...(policy?.maxUnavailable === undefined ? {} : { maxUnavailable: String(policy.maxUnavailable) }),
      ...(policy?.maxConcurrency === undefined ? {} : { maxConcurrency: String(policy.maxConcurrency) }),
      approvalBefore: policy?.approvalBefore === 'Required',
      approval: policy?.approval === 'Required',
      soakSeconds: policy?.soakSeconds ?? 0,
      ...(policy?.gateExpr === undefined ? {} : { gateExpr: policy.gateExpr }),
      gates: (policy?.gates ?? []).map((g) => `${g.kind}/${g.name}`),
      ...(windows ? { windows } : {}),
    }
  })
}

function windowsOf(
  { nowMs, calendar }: PlannedFleet,
  windows: readonly RolloutWindow[] | undefined,
): ModulePlanFacts['windows'] {
  if (!windows || windows.length === 0) return undefined
  const { isOpen } = windowsAt(windows, nowMs, calendar)
  const next = isOpen ? undefined : openingText(windows, nowMs, calendar)
  return {
    all: windows.map(({ action, schedule, durationSeconds, timeZone }) => ({
      action,
      schedule,
      durationSeconds,
      timeZone: timeZone ?? 'UTC',
    })),
    isOpen,
    ...(next === undefined ? {} : { nextOpens: next }),
  }
}
