/** Deadlocks of the units of one namespace, and the ways out of each. Pure. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { FactsOf } from '../../api/reasons/index.ts'
import { type ModuleRef, moduleId, moduleText, namedUnit } from '../graph/index.ts'
import {
  aboutCause,
  type ModuleWaits,
  moduleWaitGraph,
  type WaitCause,
  type WaitingUnit,
} from './modulewaits.ts'
import { ringsOf } from './ringsof.ts'

type WayOut = FactsOf<'Deadlock'>['ways'][number]

/** A unit of a deadlock, and why it waits for the next one. */
export interface DeadlockLink {
  readonly ref: ModuleRef
  readonly cluster: string
  readonly cause: WaitCause
  /** The Module of the next unit does not start its next revision before its rollout is complete. */
  readonly isBehindRollout: boolean
  /** Identity of the wait: it is another one where that changes. */
  readonly about: string
}

export interface Deadlock {
  /** Identity: units and waits, from the first unit by name. */
  readonly key: string
  readonly links: readonly DeadlockLink[]
  readonly ways: readonly WayOut[]
}

export interface DeadlocksFound {
  readonly deadlocks: readonly Deadlock[]
  /** Nodes and references that the search read. */
  readonly steps: number
}

export function deadlocksOf(modules: Iterable<ModuleWaits>): DeadlocksFound {
  const { graph, units } = moduleWaitGraph(modules)
  const { rings, steps } = ringsOf(graph, [...units.keys()])
  return { deadlocks: rings.map((ring) => deadlockOf(ring, units)), steps: steps + graph.size }
}

/** Names between two units are stages, limits and budgets. */
function deadlockOf(ring: readonly string[], units: ReadonlyMap<string, WaitingUnit>): Deadlock {
  const links = ring.slice(0, -1).flatMap((name, i): DeadlockLink[] => {
    const unit = units.get(name)
    if (!unit) return []
    const cause = unit.causes.get(ring[i + 1]!)!
    const { of, wait } = unit
    const isBehindRollout = !units.has(ring[i + 1]!) && isMismatch(cause)
    return [{ ref: of.ref, cluster: wait.cluster, cause, isBehindRollout, about: aboutCause(cause) }]
  })
  const first = links.map(nameOfLink).reduce((a, b) => (b < a ? b : a))
  const turned = turnedTo(links, (l) => nameOfLink(l) === first)
  const ofUnit = (l: DeadlockLink): ModuleWaits => units.get(nameOfLink(l))!.of
  return { key: keyOf(turned), links: turned, ways: waysOf(turned, ofUnit, isHolding(units)) }
}

const isHolding =
  (units: ReadonlyMap<string, WaitingUnit>) =>
  (l: DeadlockLink): boolean =>
    units.get(nameOfLink(l))!.wait.isHolding

const isMismatch = (cause: WaitCause): boolean =>
  cause.type === 'Blocker' && cause.blocker.reason === 'ReleaseMismatch'

const nameOfLink = ({ ref, cluster }: DeadlockLink): string => `${moduleId(ref)}@${cluster}`

const keyOf = (links: readonly DeadlockLink[]): string =>
  JSON.stringify(links.map((l) => [nameOfLink(l), l.about]))

function turnedTo<T>(items: readonly T[], isFirst: (item: T) => boolean): T[] {
  const at = items.findIndex(isFirst)
  return [...items.slice(at), ...items.slice(0, at)]
}

/** Why the unit of a link waits: the reason that its Module reports. */
export function reasonOfCause(cause: WaitCause): string {
  if (cause.type === 'Blocker') return cause.blocker.reason
  return { Stage: 'StagePending', Limit: 'RolloutLimit', Budgets: 'DisruptionBudget' }[cause.stop.type]
}

const KINDS: readonly WayOut['way'][] = [
  'RemoveDependency',
  'MakeOptional',
  'Publish',
  'TakeOver',
  'RaiseBudget',
  'RaiseLimit',
  'Replace',
  'EndUndo',
]

/** Each ends the ring by itself; by kind, then in the order of the ring. */
function waysOf(
  links: readonly DeadlockLink[],
  of: (l: DeadlockLink) => ModuleWaits,
  holds: (l: DeadlockLink) => boolean,
): WayOut[] {
  const found = links.flatMap((l, i): WayOut[] => {
    const next = links[(i + 1) % links.length]!
    return [
      ...waysOfCause(l, next, of, holds),
      ...(l.isBehindRollout ? [{ way: 'Replace', module: moduleText(next.ref), of: '' } as const] : []),
      ...(of(l).cause === 'Undo' ? [{ way: 'EndUndo', module: moduleText(l.ref), of: '' } as const] : []),
    ]
  })
  const known = new Map(found.map((w) => [JSON.stringify(w), w]))
  return [...known.values()].sort((a, b) => KINDS.indexOf(a.way) - KINDS.indexOf(b.way))
}

function waysOfCause(
  link: DeadlockLink,
  next: DeadlockLink,
  of: (l: DeadlockLink) => ModuleWaits,
  holds: (l: DeadlockLink) => boolean,
): WayOut[] {
  const { cause, ref } = link
  if (cause.type === 'Stop') return waysOfStop(cause.stop, ref)
  const { reason, facts } = cause.blocker
  const [own, other] = [moduleText(ref), moduleText(next.ref)]
  if (reason === 'OwnedByAnother') return [{ way: 'TakeOver', module: own, of: other }]
  // A change of the spec makes another revision, which does not start where the one before must be complete.
  const canChange = (l: DeadlockLink): boolean => of(l).cause === 'Publish' && !(of(l).isQueuing && holds(l))
  if (reason === 'DependentsRemain')
    return canChange(next) ? [{ way: 'RemoveDependency', module: other, of: own }] : []
  const ways: WayOut[] = []
  const isOptional = reason === 'DependencyDeleting' || reason === 'DependencyNotSelected'
  if (facts.edge !== undefined && canChange(link)) {
    ways.push({ way: 'RemoveDependency', module: own, of: other })
    if (isOptional) ways.push({ way: 'MakeOptional', module: own, of: other })
  }
  if (reason === 'ReleaseMismatch' && of(next).cause === 'Publish')
    ways.push({ way: 'Publish', module: other, of: String(facts.requires) })
  return ways
}

function waysOfStop(stop: Extract<WaitCause, { type: 'Stop' }>['stop'], ref: ModuleRef): WayOut[] {
  const module = moduleText(ref)
  switch (stop.type) {
    case 'Budgets':
      return stop.full.length === 1 ? [{ way: 'RaiseBudget', module, of: stop.full[0]!.name }] : []
    case 'Limit':
      return [{ way: 'RaiseLimit', module, of: stop.limit }]
    case 'Stage':
      return []
  }
}

/** The blocker of one unit of a deadlock, from its own place in the ring. */
export function deadlockBlocker({ links, ways }: Deadlock, ref: ModuleRef, cluster: string): NewBlocker {
  const own = turnedTo(links, (l) => moduleId(l.ref) === moduleId(ref) && l.cluster === cluster)
  const name = (l: DeadlockLink): string =>
    l.cluster === cluster ? l.ref.name : `${l.ref.name}@${l.cluster}`
  const [first, ...others] = own.map((l) => namedUnit(moduleText(l.ref), l.cluster))
  return blocked('Deadlock', [first!, ...others], {
    ring: [...own, own[0]!].map(name),
    reasons: own.map((l) => `${reasonOfCause(l.cause)}${l.isBehindRollout ? ', RolloutInProgress' : ''}`),
    ways,
  })
}
