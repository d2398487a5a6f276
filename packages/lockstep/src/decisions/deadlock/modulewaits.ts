/** From what units of Modules wait for to a graph of waits. Pure. */
import { aboutOf, type NewBlocker } from '../../api/blocker.ts'
import { SELF, type WaitRef } from '../../api/reasons/index.ts'
import { type ModuleRef, moduleId } from '../graph/index.ts'
import { deliveredBy } from '../resourceset/index.ts'
import type { RolloutWaits, TargetRevisionCause, UnitStop, UnitWait } from '../rollout/index.ts'
import type { WaitGraph, WaitingNode } from './ringsof.ts'

/** Waits of the units of a Module, as they were decided last. */
export interface ModuleWaits {
  readonly ref: ModuleRef
  readonly waits: RolloutWaits
  /** Why the fleet is at its target; undefined: nothing is published, or the Module is being deleted. */
  readonly cause: TargetRevisionCause | undefined
  /** A revision is not started before the rollout of the one before is complete. */
  readonly isQueuing: boolean
}

/** Why a unit waits for the next one on a ring: a blocker, or what keeps it from its start. */
export type WaitCause =
  | { readonly type: 'Blocker'; readonly blocker: NewBlocker }
  | { readonly type: 'Stop'; readonly stop: UnitStop }

/** A unit of the graph. */
export interface WaitingUnit {
  readonly of: ModuleWaits
  readonly wait: UnitWait
  /** By the name that it waits for. */
  readonly causes: ReadonlyMap<string, WaitCause>
}

export interface ModuleWaitGraph {
  readonly graph: WaitGraph
  /** Names of units, sorted. */
  readonly units: ReadonlyMap<string, WaitingUnit>
}

export const unitNode = (module: string, cluster: string): string => `${module}@${cluster}`
const stageNode = (module: string, stage: string): string => `${module} stage ${stage}`
const limitNode = (module: string, limit: string): string => `${module} limit ${limit}`
const budgetNode = (module: string, { name, disrupted }: { name: string; disrupted: readonly string[] }) =>
  `${module} budget ${name} ${disrupted.join(',')}`
const PLACE = 'place '
/** All units on a cluster that use a place in a budget. */
const placeNode = (cluster: string): string => `${PLACE}${cluster}`
const isPlace = (name: string): boolean => name.startsWith(PLACE)
/** All units of a Module that is being deleted, or of the rollout that its next revision waits for. */
const wholeNode = (module: string): string => `${module} whole`

/** The Modules of one namespace. */
export function moduleWaitGraph(modules: Iterable<ModuleWaits>): ModuleWaitGraph {
  const graph = new Map<string, WaitingNode>()
  const units: [string, WaitingUnit][] = []
  const places = new Map<string, string[]>()
  for (const of of modules) {
    const id = moduleId(of.ref)
    const own = of.waits.units.map((u) => unitNode(id, u.cluster))
    graph.set(wholeNode(id), { until: 'All', on: isWhole(of) ? own : [] })
    for (const [stage, clusters] of of.waits.stages)
      graph.set(stageNode(id, stage), { until: 'All', on: clusters.map((c) => unitNode(id, c)) })
    for (const { name, clusters } of of.waits.limits.values())
      graph.set(limitNode(id, name), { until: 'Any', on: clusters.map((c) => unitNode(id, c)) })
    for (const wait of of.waits.units) {
      const name = unitNode(id, wait.cluster)
      const causes = causesOf(of.ref, wait)
      units.push([name, { of, wait, causes }])
      graph.set(name, { until: 'All', on: [...causes.keys()] })
      if (wait.isHolding) places.set(wait.cluster, [...(places.get(wait.cluster) ?? []), name])
      if (wait.stop?.type === 'Budgets')
        for (const budget of wait.stop.full)
          graph.set(budgetNode(id, budget), { until: 'Any', on: budget.disrupted.map(placeNode) })
    }
  }
  for (const [cluster, on] of places) graph.set(placeNode(cluster), { until: 'All', on })
  return { graph, units: new Map(units.sort(([a], [b]) => (a < b ? -1 : 1))) }
}

/** Others wait for it as a whole: until it is removed, or until its next revision starts. */
const isWhole = ({ cause }: ModuleWaits): boolean => cause === undefined || cause === 'Wait'

/** By the name that a unit waits for. */
export function causesOf({ namespace, kind, name }: ModuleRef, wait: UnitWait): Map<string, WaitCause> {
  const out = new Map<string, WaitCause>()
  for (const blocker of wait.blockers)
    for (const to of namesOf(blocker, namespace)) out.set(to, { type: 'Blocker', blocker })
  const { stop } = wait
  if (!stop) return out
  const id = moduleId({ namespace, kind, name })
  const cause = { type: 'Stop', stop } as const
  if (stop.type === 'Stage') out.set(stageNode(id, stop.after), cause)
  else if (stop.type === 'Limit') out.set(limitNode(id, stop.limit), cause)
  else for (const budget of stop.full) out.set(budgetNode(id, budget), cause)
  return out
}

/** Names that a blocker waits for. A wait for a person, a time, a cluster or an object ends by that: it leads nowhere. */
function namesOf({ reason, on, facts }: NewBlocker, namespace: string): string[] {
  const units = on
    .filter((r) => r.kind === 'Unit' && isOfUnit(r))
    .map((r) => unitNode(moduleIdOf(r, namespace), r.cluster!))
  switch (reason) {
    case 'DependencyDeleting':
      return on.filter((r) => r.group === undefined).map((r) => wholeNode(moduleIdOf(r, namespace)))
    case 'ReleaseMismatch':
      return [...units, ...on.filter(isOfUnit).map((r) => wholeNode(moduleIdOf(r, namespace)))]
    case 'DependencyNotStarted':
      return facts.state === 'NotDeployed' ? units : []
    // Waves may be complete without the next step of the dependency.
    case 'DependencyNotReady':
      return facts.state === 'Deploying' || facts.state === 'NotVerified' ? units : []
    case 'DependencyNotSelected':
    case 'DependentsRemain':
    case 'DependentAhead':
    case 'OwnedByAnother':
      return units
    default:
      return []
  }
}

/** Waits of a Module, to compare: without counts and times. */
export const aboutWaits = ({ ref, waits, cause, isQueuing }: ModuleWaits): string =>
  waits.units.length === 0
    ? ''
    : JSON.stringify([
        cause,
        isQueuing,
        waits.units.map((u) => [
          u.cluster,
          u.isHolding,
          [...causesOf(ref, u)].map(([to, c]) => [to, aboutCause(c)]),
        ]),
        [...waits.stages],
        [...waits.limits.values()],
      ])

/** Whether a cause is the same: without counts and times. */
export const aboutCause = (cause: WaitCause): string =>
  cause.type === 'Blocker'
    ? `${cause.blocker.reason} ${aboutOf(cause.blocker)}`
    : JSON.stringify(cause.stop.type === 'Budgets' ? cause.stop.full.map((b) => b.name) : cause.stop)

/** Whether a unit waits, over its stage, limit or budget, for a unit that waits as well: a ring closes with such a wait. */
export function closesRing(
  { graph, units }: ModuleWaitGraph,
  modules: ReadonlyMap<string, { readonly own: ModuleWaitGraph }>,
): boolean {
  const isPlaceHeld = (name: string): boolean => [...modules.values()].some(({ own }) => own.graph.has(name))
  const isWaiting = (name: string): boolean => {
    const there = modules.get(moduleOfNode(name))?.own
    const node = graph.get(name) ?? there?.graph.get(name)
    if (!node) return isPlace(name) && isPlaceHeld(name)
    return units.has(name) || there?.units.has(name) === true || node.on.some(isWaiting)
  }
  return [...units.values()].some(({ causes }) => [...causes.keys()].some(isWaiting))
}

/** Names of nodes begin with the id of their Module. */
const moduleOfNode = (name: string): string => name.slice(0, name.search(/[@ ]/))

const isOfUnit = ({ group, cluster }: WaitRef): boolean =>
  group === undefined && cluster !== undefined && cluster !== SELF

/** The id of the Module of a reference to it, or to one of its units. */
const moduleIdOf = (ref: WaitRef, namespace: string): string =>
  moduleId({
    ...deliveredBy({ kind: ref.object?.kind ?? 'Module', name: ref.name }),
    namespace: ref.namespace ?? namespace,
  })
