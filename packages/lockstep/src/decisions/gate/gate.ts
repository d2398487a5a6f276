import { type Digest, short10 } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import {
  type DependencyEdge,
  dependencyName,
  dependencyText,
  isModuleEdge,
  type ModuleEdge,
  type ModuleRef,
  moduleEdges,
  moduleText,
  type ObjectEdge,
} from '../graph/moduleref.ts'
import { gateDigestOf } from '../revision/revision.ts'
import { type EdgeResult, evaluateObjectEdge } from './objectedge.ts'
import {
  clusterOf,
  type EdgeEvidence,
  type Exemption,
  type Observation,
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
      : evaluateObjectEdge(edge, unit.cluster, seen)
    if (found.blocker) blockers.push(found.blocker)
    if (found.evidence) evidence.push(found.evidence)
  }
  if (isUnitRollback(unit, seen)) blockers.push(...dependentsAhead(unit, seen))
  if (blockers.length > 0) return { outcome: 'Closed', blockers }
  return { outcome: 'Open', evidence, gateDigest: gateDigestBy(evidence, unit, seen) }
}

/** What one edge comes to: the first that applies, from what does not exist to what is not verified. */
function lookAtModule(edge: ModuleEdge, unit: UnitTarget, seen: Observation): EdgeResult {
  const { to } = edge
  const name = dependencyName(edge)
  const cluster = clusterOf(edge, unit.cluster, seen)
  const subject = moduleText(to)
  const closed = (reason: NewBlocker['reason'], text: string): EdgeResult => ({
    blocker: { reason, message: `${edge.id}: ${text}`, subject: `${subject}@${cluster}` },
  })
  const module = seen.module(to)
  if (!module) {
    if (edge.optional) return {}
    return closed('DependencyMissing', absenceText(edge, seen))
  }
  if (!seen.selects(to, cluster)) {
    if (edge.optional) return {}
    const hint = 'set optional: true if that is meant'
    return closed(
      'DependencyNotSelected',
      `${dependencyText(edge)} does not select cluster ${cluster}; ${hint}`,
    )
  }
  const { published } = module
  const silence = cluster === unit.cluster ? undefined : seen.silence(cluster)
  if (silence) return closed('DependencyStale', staleText(cluster, silence.seconds, edge, seen))
  const there = seen.unit(to, cluster)
  const early = beforeDependency(edge, unit, { cluster, seen: there }, seen)
  if (early) return { evidence: early }
  if (!published) return closed('DependencyNotStarted', `${name} has no published revision`)
  if (unit.isApart) return gateExempt(edge, unit, there, closed)
  const named = nameOf(name, published)
  if (there?.admittedRevision !== published.revision) {
    const apart = there && seen.apart(to, cluster)
    if (apart === 'Pinned' || apart === 'Kept')
      return closed('DependencyPinned', pinnedText(name, there!, cluster, apart))
    return closed(
      'DependencyNotStarted',
      `${named} (${short10(published.revision)}) is not admitted on ${cluster}`,
    )
  }
  if (edge.release === 'Same' && differ(published.release, unit.published.release)) {
    const wants = `${unit.module.name} wants ${unit.published.release}`
    return closed('ReleaseMismatch', `${name} is published at ${published.release}, ${wants}`)
  }
  if (cluster !== unit.cluster && !there.current)
    return closed(
      'DependencyNotReady',
      `${named} on ${cluster} was not read since the connection to it began`,
    )
  const wanted = targetGateDigest({ module: to, cluster: cluster, published }, seen)
  if (!isDone(edge, there))
    return closed(
      'DependencyNotReady',
      `${named} is admitted on ${cluster}, ${undoneText(edge)}: ${there.detail}`,
    )
  if (reachedDigest(edge, there) !== wanted || !areAsWanted(published.edges, cluster, seen, new Set())) {
    return closed(
      'DependencyNotReady',
      `${named} on ${cluster} is not verified since ${changedBelow(published, cluster, seen)}`,
    )
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

const undoneText = ({ beforeWave }: ModuleEdge): string =>
  beforeWave === undefined ? 'not healthy' : `not done with its waves before ${beforeWave}`

/** Of a ClusterResourceSet, which has a Module only while it is Continuous. */
function absenceText(edge: ModuleEdge, seen: Observation): string {
  const { to, set } = edge
  const found = set === undefined ? undefined : seen.set(to.namespace, set)
  if (!found) return `${dependencyText(edge)} does not exist`
  if (!found.isManaged)
    return `${dependencyText(edge)} is not reconciled by Lockstep; set its annotation lockstep.dev/managed: "true"`
  if (found.mode !== 'Continuous')
    return `${dependencyText(edge)} is ${found.mode}, and only one that is Continuous can be waited for; set its annotation lockstep.dev/mode: Continuous`
  return `${dependencyText(edge)} has nothing to deliver yet: its condition Ready says why`
}

function pinnedText(name: string, there: UnitObservation, cluster: string, apart: Exemption): string {
  const at = there.admittedRelease ?? short10(there.admittedRevision ?? '')
  return apart === 'Pinned'
    ? `${name} is pinned on ${cluster} at ${at}`
    : `${name} stays on ${cluster} at ${at}: its spec.rollout.updates is Once`
}

/** Beside what is there, whatever its fleet is to be at: in health, and at the same release where both have one. */
function gateExempt(
  edge: ModuleEdge,
  { module, published }: UnitTarget,
  there: UnitObservation | undefined,
  closed: (reason: NewBlocker['reason'], text: string) => EdgeResult,
): EdgeResult {
  const name = dependencyName(edge)
  if (there?.admittedGateDigest === undefined) return closed('DependencyNotStarted', `${name} is not there`)
  if (edge.release === 'Same' && differ(there.admittedRelease, published.release))
    return closed(
      'ReleaseMismatch',
      `${name} is at ${there.admittedRelease}, ${module.name} wants ${published.release}`,
    )
  if (!isDone(edge, there) || !there.current || reachedDigest(edge, there) !== there.admittedGateDigest)
    return closed('DependencyNotReady', `${name} is admitted, ${undoneText(edge)}: ${there.detail}`)
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
    if (e.release === 'Any' || !published || !seen.selects(e.to, place) || done.has(id)) return true
    done.add(id)
    const there = seen.unit(e.to, place)
    const wanted = targetGateDigest({ module: e.to, cluster: place, published }, seen)
    return wasDone(e, there, wanted) && areAsWanted(published.edges, place, seen, done)
  })
}

/** What an edge asks for has been reached at that digest since the unit was admitted to it; of waves: and is so now. */
const wasDone = (e: ModuleEdge, there: UnitObservation | undefined, wanted: Digest): boolean =>
  there !== undefined &&
  (there.verifiedGateDigest === wanted ||
    (e.beforeWave !== undefined && there.admittedGateDigest === wanted && isDone(e, there)))

function staleText(cluster: string, seconds: number, edge: ModuleEdge, seen: Observation): string {
  const name = dependencyName(edge)
  const known = seen.unit(edge.to, cluster)
  const state = known?.healthy ? 'ready' : 'not ready'
  const last = known?.admittedRevision
    ? `${name} ${state} at ${known.admittedRelease ?? short10(known.admittedRevision)}`
    : `${name} not admitted`
  return `nothing heard from cluster ${cluster} for ${seconds}s (limit 60s); last known: ${last}`
}

const nameOf = (name: string, p: PublishedRevision): string => (p.release ? `${name} ${p.release}` : name)

const differ = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b

/** Names what moved below a dependency, for the message; the digest alone says only that something did. */
function changedBelow(published: PublishedRevision, cluster: string, seen: Observation): string {
  const edges = moduleEdges(published.edges)
  const moved = edges.filter((e) => {
    const below = seen.module(e.to)?.published
    if (!below || e.release === 'Any') return false
    const there = clusterOf(e, cluster, seen)
    const wanted = targetGateDigest({ module: e.to, cluster: there, published: below }, seen)
    return !wasDone(e, seen.unit(e.to, there), wanted)
  })
  const names = (moved.length > 0 ? moved : edges).map(dependencyName)
  return names.length > 0 ? `${names.join(', ')} changed` : 'it changed'
}

/**
 * The gate digest that a unit has once everything below it is at what is published. Chained: it contains those of its
 * dependencies. A cycle (refused when published) is cut, so that this ends on any input.
 */
export function targetGateDigest(unit: UnitTarget, seen: Observation): Digest {
  return digestOfUnit(unit, seen, new Map(), new Set())
}

/** Of what the evidence names. It is what is wanted, but before a dependency that has still to go back. */
function gateDigestBy(evidence: readonly EdgeEvidence[], unit: UnitTarget, seen: Observation): Digest {
  const named = new Map(evidence.map((e) => [e.edge, e.gateDigest]))
  const edges = unit.published.edges.map((e) => {
    const isFollowed = isModuleEdge(e) && e.release !== 'Any'
    const digest = (isFollowed && named.get(e.id)) || edgeDigest(e, unit.cluster, seen, new Map(), new Set())
    return { id: e.id, digest }
  })
  return gateDigestOf(unit.published.revision, unit.published.attempt, edges)
}

function digestOfUnit(
  unit: UnitTarget,
  seen: Observation,
  memo: Map<string, Digest>,
  open: Set<string>,
): Digest {
  const id = unitId(unit.module, unit.cluster)
  const known = memo.get(id)
  if (known) return known
  open.add(id)
  // By id: where a cycle is cut depends on the way, and must not depend on how somebody has written the list.
  const inOrder = [...unit.published.edges].sort((a, b) => (a.id < b.id ? -1 : 1))
  const edges = inOrder.map((e) => ({ id: e.id, digest: edgeDigest(e, unit.cluster, seen, memo, open) }))
  open.delete(id)
  const digest = gateDigestOf(unit.published.revision, unit.published.attempt, edges)
  memo.set(id, digest)
  return digest
}

function edgeDigest(
  e: DependencyEdge,
  cluster: string,
  seen: Observation,
  memo: Map<string, Digest>,
  open: Set<string>,
): string {
  if (!isModuleEdge(e)) return objectEdgeDigest(e)
  if (e.release === 'Any') return 'any'
  const published = seen.module(e.to)?.published
  const there = clusterOf(e, cluster, seen)
  if (!published || !seen.selects(e.to, there) || open.has(unitId(e.to, there))) return 'absent'
  return digestOfUnit({ module: e.to, cluster: there, published }, seen, memo, open)
}

/** What an object is like changes without a release: only what is asked of it counts. */
const objectEdgeDigest = (e: ObjectEdge): string => e.readyExpr ?? ''

const unitId = (m: ModuleRef, cluster: string): string => `${moduleText(m)}@${cluster}`
