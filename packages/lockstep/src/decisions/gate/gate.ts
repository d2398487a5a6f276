import { type Digest, short10 } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import {
  type DependencyEdge,
  dependencyName,
  isModuleEdge,
  type ModuleEdge,
  type ModuleRef,
  moduleEdges,
  moduleText,
  type ObjectEdge,
} from '../graph/moduleref.ts'
import { moduleWaitRef, unitRef } from '../graph/waitref.ts'
import { gateDigestOf } from '../revision/revision.ts'
import { cycleBelow } from './cyclebelow.ts'
import { type EdgeResult, evaluateObjectEdge } from './objectedge.ts'
import {
  clusterOf,
  type EdgeEvidence,
  isPassed,
  type Observation,
  type ObservedSilence,
  type PublishedRevision,
  type UnitObservation,
} from './observation.ts'
import { beforeDependency, dependentsAhead, isUnitRollback, type UnitTarget } from './rollback.ts'

export type GateResult =
  | {
      readonly outcome: 'Open'
      readonly evidence: readonly EdgeEvidence[]
      /** What the unit is admitted at: made of what the evidence names. */
      readonly gateDigest: Digest
    }
  | { readonly outcome: 'Closed'; readonly blockers: readonly NewBlocker[] }

/**
 * The conjunction of a unit's edges. Open means that each was *observed* satisfied, at the right release and gate
 * digest; the evidence says by what. Who goes back to an earlier release waits for its dependants to go first.
 */
export function gate(unit: UnitTarget, seen: Observation): GateResult {
  const blockers: NewBlocker[] = []
  const evidence: EdgeEvidence[] = []
  for (const edge of unit.published.edges) {
    const found = isModuleEdge(edge)
      ? lookAtModule(edge, unit, seen)
      : evaluateObjectEdge(edge, unit.module, unit.cluster, seen)
    if (found.blocker) blockers.push(found.blocker)
    if (found.evidence) evidence.push(found.evidence)
  }
  if (isUnitRollback(unit, seen)) blockers.push(...dependentsAhead(unit, seen))
  if (blockers.length > 0) return { outcome: 'Closed', blockers }
  return { outcome: 'Open', evidence, gateDigest: gateDigestBy(evidence, unit, seen) }
}

/** What one edge comes to: the first that applies, from what does not exist to what is not verified. */
function lookAtModule(edge: ModuleEdge, unit: UnitTarget, seen: Observation): EdgeResult {
  const { to, id } = edge
  const cluster = clusterOf(edge, unit.cluster, seen)
  const on = unitRef(edge, cluster)
  if (isPassed(edge, cluster, seen)) return {}
  const module = seen.module(to)
  if (!module) return absence(edge, seen)
  if (module.isDeleting) return closed(blocked('DependencyDeleting', [moduleWaitRef(edge)], { edge: id }))
  if (!seen.selects(to, cluster)) return closed(blocked('DependencyNotSelected', [on], { edge: id }))
  const { published } = module
  const silence = cluster === unit.cluster ? undefined : seen.silence(cluster)
  if (silence) return staleness(edge, on, silence, seen)
  const there = seen.unit(to, cluster)
  const early = beforeDependency(edge, unit, { cluster, seen: there }, seen)
  if (early) return { evidence: early }
  if (!published)
    return closed(
      cycleBelow(edge, cluster, seen) ??
        blocked('DependencyNotStarted', [on], { edge: id, state: 'Unpublished' }),
    )
  if (unit.isApart) return gateExempt(edge, unit, on, there)
  const { release, revision } = published
  if (there?.admittedRevision !== revision) {
    const apart = there && seen.apart(to, cluster)
    if (apart === 'Pinned' || apart === 'Kept') {
      const at = there!.admittedRelease ?? short10(there!.admittedRevision ?? '')
      return closed(blocked('DependencyPinned', [on], { edge: id, because: apart, at }))
    }
    const at = { release, revision: short10(revision) }
    return closed(
      cycleBelow(edge, cluster, seen) ??
        blocked('DependencyNotStarted', [on], { edge: id, state: 'NotDeployed', ...at }),
    )
  }
  if (edge.release === 'Same' && differ(release, unit.published.release))
    return mismatch(edge, on, unit, release!)
  if (cluster !== unit.cluster && !there.current)
    return closed(blocked('DependencyNotReady', [on], { edge: id, state: 'NotRead', release }))
  if (!isDone(edge, there)) return unfinished(edge, on, there, release)
  // After the dependency is done: the digest reads every unit below, and each of these reads wakes the unit later.
  const wanted = targetGateDigest({ module: to, cluster, published }, seen)
  if (reachedDigest(edge, there) !== wanted || !areAsWanted(published.edges, cluster, seen, new Set())) {
    const changed = changedBelow(published, cluster, seen)
    const state = { edge: id, state: 'NotVerified', release, changed } as const
    return closed(blocked('DependencyNotReady', [on], state))
  }
  return {
    evidence: {
      edge: edge.id,
      uid: there.uid,
      resourceVersion: there.resourceVersion,
      gateDigest: wanted,
      release: there.admittedRelease,
    },
  }
}

/** Whether what an edge asks for is as it should be now, of what is admitted: all of it, or its waves before one. */
const isDone = ({ beforeWave }: ModuleEdge, there: UnitObservation): boolean =>
  there.healthy ||
  (beforeWave !== undefined && (there.doneBeforeWave ?? Number.NEGATIVE_INFINITY) >= beforeWave)

/** What that was done at. Waves are said to be done of what is admitted alone; all of it is verified, with what had to go. */
const reachedDigest = ({ beforeWave }: ModuleEdge, there: UnitObservation): Digest | undefined =>
  beforeWave === undefined ? there.verifiedGateDigest : there.admittedGateDigest

const closed = (blocker: NewBlocker): EdgeResult => ({ blocker })

function mismatch(edge: ModuleEdge, on: WaitRefOf<'Unit'>, unit: UnitTarget, release: string): EdgeResult {
  const requires = unit.published.release!
  return closed(
    blocked('ReleaseMismatch', [on], { edge: edge.id, module: unit.module.name, release, requires }),
  )
}

/** Deployed, and not healthy, or not yet done with the waves that the edge asks for. */
function unfinished(
  { id, beforeWave: wave }: ModuleEdge,
  on: WaitRefOf<'Unit'>,
  { detail }: UnitObservation,
  release: string | undefined,
): EdgeResult {
  const state = wave === undefined ? 'Deploying' : 'EarlierWaves'
  return closed(blocked('DependencyNotReady', [on], { edge: id, state, release, detail, wave }))
}

/** A ClusterResourceSet has a Module only while it is Continuous. */
function absence(edge: ModuleEdge, seen: Observation): EdgeResult {
  const { to, set, id } = edge
  const on = [moduleWaitRef(edge)] as const
  const found = set === undefined ? undefined : seen.set(to.namespace, set)
  const missing = (because?: 'NotManaged' | 'OtherMode' | 'Empty'): EdgeResult =>
    closed(blocked('DependencyMissing', on, { edge: id, because, mode: found?.mode }))
  if (!found) return missing()
  if (!found.isManaged) return missing('NotManaged')
  return missing(found.mode === 'Continuous' ? 'Empty' : 'OtherMode')
}

/** Beside what is there, whatever its fleet is to be at: in health, and at the same release where both have one. */
function gateExempt(
  edge: ModuleEdge,
  unit: UnitTarget,
  on: WaitRefOf<'Unit'>,
  there: UnitObservation | undefined,
): EdgeResult {
  if (there?.admittedGateDigest === undefined)
    return closed(blocked('DependencyNotStarted', [on], { edge: edge.id, state: 'NotDeployed' }))
  if (edge.release === 'Same' && differ(there.admittedRelease, unit.published.release))
    return mismatch(edge, on, unit, there.admittedRelease!)
  if (!isDone(edge, there) || !there.current || reachedDigest(edge, there) !== there.admittedGateDigest)
    return unfinished(edge, on, there, there.admittedRelease)
  return {
    evidence: {
      edge: edge.id,
      uid: there.uid,
      resourceVersion: there.resourceVersion,
      gateDigest: there.admittedGateDigest,
      release: there.admittedRelease,
    },
  }
}

/**
 * Whether all that a unit needs, over any number of edges, is at what it is wanted at. A digest alone does not say so:
 * what has moved away and comes back has the digest again before it is there.
 */
function areAsWanted(
  edges: readonly DependencyEdge[],
  cluster: string,
  seen: Observation,
  done: Set<string>,
): boolean {
  return moduleEdges(edges).every((e) => {
    const published = seen.module(e.to)?.published
    const place = clusterOf(e, cluster, seen)
    // Asked for as a whole it is another question than up to a wave.
    const id = `${unitId(e.to, place)} ${e.beforeWave ?? ''}`
    if (e.release === 'Any' || !published || isAbsent(e, place, seen) || done.has(id)) return true
    done.add(id)
    const wanted = targetGateDigest({ module: e.to, cluster: place, published }, seen)
    return wasDone(e, place, wanted, seen) && areAsWanted(published.edges, place, seen, done)
  })
}

/** What an edge asks for has been reached at that digest since the unit was admitted to it; of waves: and is so now. */
function wasDone(e: ModuleEdge, cluster: string, wanted: Digest, seen: Observation): boolean {
  const admission = seen.unit(e.to, cluster, 'Admission')
  if (admission?.verifiedGateDigest === wanted) return true
  if (e.beforeWave === undefined || admission?.admittedGateDigest !== wanted) return false
  const unit = seen.unit(e.to, cluster)
  return unit !== undefined && isDone(e, unit)
}

function staleness(
  edge: ModuleEdge,
  on: WaitRefOf<'Unit'>,
  silence: ObservedSilence,
  seen: Observation,
): EdgeResult {
  const { cluster = '', namespace } = on
  const known = seen.unit(edge.to, cluster)
  const last = known?.healthy ? 'Ready' : known?.admittedRevision ? 'NotReady' : 'NotDeployed'
  const release = known?.admittedRevision && (known.admittedRelease ?? short10(known.admittedRevision))
  const refs = [on, { kind: 'Cluster', name: cluster, namespace }] as const
  return closed(blocked('DependencyStale', refs, { edge: edge.id, ...silence, last, release }))
}

const differ = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b

/** Dependencies of a dependency that moved; the digest alone says only that something did. */
function changedBelow(published: PublishedRevision, cluster: string, seen: Observation): string[] {
  const edges = moduleEdges(published.edges)
  const moved = edges.filter((e) => {
    const below = seen.module(e.to)?.published
    if (!below || e.release === 'Any') return false
    const there = clusterOf(e, cluster, seen)
    if (isPassed(e, there, seen)) return false
    const wanted = targetGateDigest({ module: e.to, cluster: there, published: below }, seen)
    return !wasDone(e, there, wanted, seen)
  })
  return (moved.length > 0 ? moved : edges).map(dependencyName)
}

/**
 * The gate digest that a unit has once everything below it is at what is published. Chained: it contains those of its
 * dependencies. A cycle (refused when published) is cut, so that this ends on any input.
 */
export const targetGateDigest = (unit: UnitTarget, seen: Observation): Digest =>
  walked(seen, (walk) => digestOfUnit(unit, walk))

/** Of what the evidence names. It is what is wanted, but before a dependency that has still to go back. */
function gateDigestBy(evidence: readonly EdgeEvidence[], unit: UnitTarget, seen: Observation): Digest {
  const named = new Map(evidence.map((e) => [e.edge, e.gateDigest]))
  const edges = unit.published.edges.map((e) => {
    const isFollowed = isModuleEdge(e) && e.release !== 'Any'
    const digest =
      (isFollowed && named.get(e.id)) || walked(seen, (walk) => edgeDigest(e, unit.cluster, walk))
    return { id: e.id, digest }
  })
  return gateDigestOf(unit.published.revision, unit.published.attempt, edges)
}

/** A way down the edges of one unit. */
interface Walk {
  readonly seen: Observation
  /** Digests of the units below, by unit. */
  readonly found: Map<string, Digest>
  /** Units between the first one and here. */
  readonly open: Set<string>
  isCut: boolean
}

/** The observation keeps what a walk has found, unless a cycle was cut: where depends on the unit that it began at. */
function walked<D>(seen: Observation, step: (walk: Walk) => D): D {
  const walk: Walk = { seen, found: new Map(), open: new Set(), isCut: false }
  const digest = step(walk)
  if (!walk.isCut) for (const [id, found] of walk.found) seen.gateDigests?.set(id, found)
  return digest
}

function digestOfUnit({ module, cluster, published }: UnitTarget, walk: Walk): Digest {
  const id = unitId(module, cluster)
  walk.open.add(id)
  // By id: where a cycle is cut depends on the way, and must not depend on how somebody has written the list.
  const inOrder = [...published.edges].sort((a, b) => (a.id < b.id ? -1 : 1))
  const edges = inOrder.map((e) => ({ id: e.id, digest: edgeDigest(e, cluster, walk) }))
  walk.open.delete(id)
  return gateDigestOf(published.revision, published.attempt, edges)
}

function edgeDigest(e: DependencyEdge, cluster: string, walk: Walk): string {
  if (!isModuleEdge(e)) return objectEdgeDigest(e)
  if (e.release === 'Any') return 'any'
  const { seen, found, open } = walk
  const there = clusterOf(e, cluster, seen)
  const id = unitId(e.to, there)
  const published = seen.module(e.to)?.published
  if (!published || isAbsent(e, there, seen)) return 'absent'
  if (open.has(id)) {
    walk.isCut = true
    return 'absent'
  }
  const known = seen.gateDigests?.get(id) ?? found.get(id)
  if (known !== undefined) return known
  const digest = digestOfUnit({ module: e.to, cluster: there, published }, walk)
  found.set(id, digest)
  return digest
}

/**
 * Nothing of the dependency counts there. A required edge to a Module that is being deleted keeps its digest: units that are
 * deployed with it stay as they are, and only new revisions wait.
 */
const isAbsent = (e: ModuleEdge, cluster: string, seen: Observation): boolean =>
  isPassed(e, cluster, seen) || !seen.selects(e.to, cluster)

/** What an object is like changes without a release: only what is asked of it counts. */
const objectEdgeDigest = (e: ObjectEdge): string => e.readyExpr ?? ''

const unitId = (m: ModuleRef, cluster: string): string => `${moduleText(m)}@${cluster}`
