/** Going back to an earlier release: dependants first, in the reverse of the order in which all went forward. */
import type { NewBlocker } from '../../api/blocker.ts'
import { short10 } from '../../object/object.ts'
import { type ModuleEdge, type ModuleRef, moduleText } from '../graph/module.ts'
import type { EdgeEvidence, Observation, Published, UnitSeen } from './observation.ts'

/** A unit that wants to act on `published` on `cluster`. */
export interface Wanting {
  readonly module: ModuleRef
  readonly cluster: string
  readonly published: Published
}

/** Whether a module has published the one release for the first time before the other. Of what is not known: no. */
export function isEarlier(
  module: ModuleRef,
  release: string | undefined,
  than: string | undefined,
  seen: Pick<Observation, 'releaseNumber'>,
): boolean {
  if (release === undefined || than === undefined || release === than) return false
  const [one, other] = [seen.releaseNumber(module, release), seen.releaseNumber(module, than)]
  return one !== undefined && other !== undefined && one < other
}

/** Whether the unit leaves a release for an earlier one. */
export const isGoingBack = ({ module, cluster, published }: Wanting, seen: Observation): boolean =>
  isEarlier(module, published.release, seen.unit(module, cluster)?.admittedRelease, seen)

/**
 * Units that were admitted against a later release than the one that this goes back to, and have not gone back
 * themselves: one blocker each.
 */
export function dependantsAhead(unit: Wanting, seen: Observation): NewBlocker[] {
  const { module, cluster, published } = unit
  const own = seen.unit(module, cluster)
  return seen.dependants(module, cluster).flatMap((d): NewBlocker[] => {
    const isAhead = d.release !== published.release && isEarlier(module, published.release, d.reliesOn, seen)
    if (!isAhead || d.edge.release === 'Any' || d.release === undefined) return []
    const what = `${module.name} ${d.reliesOn} (${short10(own?.admittedRevision ?? '')})`
    const next = seen.module(d.module)?.published?.release
    const advice =
      next === published.release
        ? 'it goes back first'
        : `publish ${d.module.name} at ${published.release} too, or ${module.name} at ${d.reliesOn} again`
    return [
      {
        reason: 'DependantAhead',
        message: `${d.module.name} on ${d.cluster} relies on ${what}: ${advice}`,
        subject: `${moduleText(d.module)}@${d.cluster}`,
      },
    ]
  })
}

/**
 * What an edge comes to for a unit that goes back, where the dependency is published at that release too and has not
 * gone yet: open as it stands, since on the way forward the dependant was at the earlier release beside the later one
 * as well. Undefined: the edge is like any other.
 */
export function beforeDependency(
  edge: ModuleEdge,
  unit: Wanting,
  there: UnitSeen | undefined,
  seen: Observation,
): EdgeEvidence | undefined {
  const target = seen.module(edge.to)?.published?.release
  if (edge.release === 'Any' || target !== unit.published.release) return undefined
  if (!there?.admittedGateDigest || !isEarlier(edge.to, target, there.admittedRelease, seen)) return undefined
  return {
    edge: edge.id,
    uid: there.uid,
    resourceVersion: there.resourceVersion,
    gateDigest: there.admittedGateDigest,
    release: there.admittedRelease,
  }
}
