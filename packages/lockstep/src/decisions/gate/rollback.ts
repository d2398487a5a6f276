/** Going back to an earlier release: dependants first, in the reverse of the order in which all went forward. */

import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { type ModuleEdge, type ModuleRef, moduleEdges, moduleId } from '../graph/moduleref.ts'
import { unitRef } from '../graph/waitref.ts'
import {
  clusterOf,
  type DependentObservation,
  type EdgeEvidence,
  type Observation,
  type PublishedRevision,
  type UnitAdmission,
  type UnitObservation,
} from './observation.ts'

/** A unit that wants to act on `published` on `cluster`. */
export interface UnitTarget {
  readonly module: ModuleRef
  readonly cluster: string
  readonly published: PublishedRevision
  /** It is not to be with its fleet: what it needs counts as it stands on that cluster. */
  readonly isApart?: boolean
}

type UnitAddress = Pick<UnitTarget, 'module' | 'cluster'>

/**
 * Whether a unit was at the one release before it was at the other, and the fleet knew it before. Each alone can
 * deceive: a unit may have missed a release at first, and releases may have been published out of turn. Of what it has
 * never been at: no, so that nothing new is ever taken for a way back.
 */
function isEarlier(
  unit: UnitAdmission | undefined,
  release: string | undefined,
  than: string | undefined,
  seen: Pick<Observation, 'publishedBefore'>,
): boolean {
  if (!unit || release === undefined || than === undefined || release === than) return false
  const [one, other] = [unit.releases.indexOf(release), unit.releases.indexOf(than)]
  return one >= 0 && one < other && seen.publishedBefore(release, than)
}

/** Whether a unit leaves a release for an earlier one. */
function goesBackTo(
  target: string | undefined,
  { module, cluster }: UnitAddress,
  seen: Observation,
): boolean {
  const unit = seen.unit(module, cluster, 'Admission')
  return isEarlier(unit, target, unit?.admittedRelease, seen)
}

export const isUnitRollback = (unit: UnitTarget, seen: Observation): boolean =>
  goesBackTo(unit.published.release, unit, seen)

/**
 * Units that were admitted against a later release than the one that this goes back to, and are to go back before it: a
 * blocker each.
 */
export function dependentsAhead(unit: UnitTarget, seen: Observation): NewBlocker[] {
  const { module, cluster, published } = unit
  const own = seen.unit(module, cluster, 'Admission')
  return seen.dependants(module, cluster).flatMap((d): NewBlocker[] => {
    if (d.edge.release === 'Any' || d.release === undefined || hasGone(d, published.release)) return []
    if (!isEarlier(own, published.release, d.reliesOn, seen) || hasToFollow(d, unit, seen)) return []
    const on = [unitRef({ to: d.module }, d.cluster)] as const
    const facts = { module: module.name, release: published.release, deployedWith: d.reliesOn }
    return [blocked('DependentAhead', on, { state: rollbackState(d, unit, seen), ...facts })]
  })
}

const hasGone = (d: DependentObservation, target: string | undefined): boolean =>
  d.release === target && d.isApplied

/**
 * A dependant that is published at the same release, and cannot be there before this unit: it has never been there
 * itself, or something between the two has not, which waits for this unit as on the way forward.
 */
function hasToFollow(d: DependentObservation, unit: UnitTarget, seen: Observation): boolean {
  const target = unit.published.release
  const published = seen.module(d.module)?.published
  if (published?.release !== target || d.release === target) return false
  if (!goesBackTo(target, d, seen)) return true
  return moduleEdges(published?.edges ?? []).some((e) => {
    const between = { module: e.to, cluster: clusterOf(e, d.cluster, seen) }
    const isNew = e.release === 'Same' && !isSame(between, unit) && !goesBackTo(target, between, seen)
    return isNew && needs(between, unit, seen, new Set())
  })
}

const placeId = ({ module, cluster }: UnitAddress): string => `${moduleId(module)}@${cluster}`
const isSame = (a: UnitAddress, b: UnitAddress): boolean => placeId(a) === placeId(b)

/** Over any number of edges, as they are published. */
function needs(from: UnitAddress, to: UnitAddress, seen: Observation, done: Set<string>): boolean {
  if (isSame(from, to)) return true
  if (done.has(placeId(from))) return false
  done.add(placeId(from))
  return moduleEdges(seen.module(from.module)?.published?.edges ?? []).some((e) =>
    needs({ module: e.to, cluster: clusterOf(e, from.cluster, seen) }, to, seen, done),
  )
}

function rollbackState(
  d: DependentObservation,
  { published: { release } }: UnitTarget,
  seen: Observation,
): 'RollingBack' | 'RollsBackFirst' | 'NotPublished' {
  if (d.release === release) return 'RollingBack'
  return seen.module(d.module)?.published?.release === release ? 'RollsBackFirst' : 'NotPublished'
}

/**
 * What an edge comes to for a unit that goes back before its dependency does: open as it stands, since on the way
 * forward the dependant was at the earlier release beside the later one as well. Undefined: the edge is like any other.
 */
export function beforeDependency(
  edge: ModuleEdge,
  unit: UnitTarget,
  there: { readonly cluster: string; readonly seen: UnitObservation | undefined },
  seen: Observation,
): EdgeEvidence | undefined {
  const target = unit.published.release
  if (seen.module(edge.to)?.published?.release !== target) return undefined
  const { uid, resourceVersion, admittedGateDigest: gateDigest, admittedRelease: release } = there.seen ?? {}
  if (uid === undefined || resourceVersion === undefined || gateDigest === undefined) return undefined
  const both =
    goesBackTo(target, { module: edge.to, cluster: there.cluster }, seen) && isUnitRollback(unit, seen)
  return both ? { edge: edge.id, uid, resourceVersion, gateDigest, release } : undefined
}
