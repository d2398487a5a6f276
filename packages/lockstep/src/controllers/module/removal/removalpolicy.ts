/** The policy of the removal of units, and the allowance of many. Pure. */
import type { Stored } from '@lockstep/kube/object'
import type { Assignment, Module } from '../../../api/kinds/index.ts'
import { ALLOW_REMOVAL_ANNOTATION } from '../../../api/labels.ts'
import { setOf } from '../../../decisions/resourceset/index.ts'
import type { UnitFacts } from '../unitviews.ts'

/** Cause and policy of a removal; for a deselected cluster also the version of its object that deselected it. */
export function removalOf(module: Stored<Module>, { cluster }: UnitFacts): UnitRemoval {
  const cause = module.metadata.deletionTimestamp !== undefined ? 'ModuleDeleted' : 'Relabelled'
  const policy = removalPolicy(module, cause)
  if (cause === 'ModuleDeleted') return { cause, policy }
  const { uid: clusterUid, resourceVersion } = cluster ?? {}
  const seen = resourceVersion === undefined ? {} : { clusterUid, resourceVersion }
  return { cause, policy, ...seen }
}

type UnitRemoval = NonNullable<Assignment['removal']>

/** Policy for the objects. A ClusterResourceSet has one for its own deletion; on deselected clusters it prunes. */
export function removalPolicy(
  { metadata, spec: { apply } }: Stored<Module>,
  cause: UnitRemoval['cause'],
): UnitRemoval['policy'] {
  if (cause !== 'Relabelled' || !setOf(metadata)) return apply.deletionPolicy
  return apply.prune ? 'Delete' : 'Orphan'
}

/** The unit was being removed and is selected again, and no deletion was recorded yet. */
export function isReselected({ view, record, inventory }: UnitFacts): boolean {
  if (record?.removal?.cause !== 'Relabelled' || !view.selected || !inventory?.spec.admitted) return false
  return !(inventory.spec.causes ?? []).some((c) => c.cause === 'Relabelled' && c.begun)
}
/** A person allowed to remove more units of the Module at once; for deselected clusters, the annotation is good once. */
export const isRemovalAllowed = (module: Stored<Module>): boolean =>
  isAllowedNow(module) || module.status?.rollout?.removals?.allowed !== undefined

export const isAllowedNow = (module: Stored<Module>): boolean =>
  module.metadata.annotations?.[ALLOW_REMOVAL_ANNOTATION] === nextAllowance(module)

/** Value of the annotation that allows a removal: the generation, such as `7`; after its use, `7-2`. */
export function nextAllowance(module: Stored<Module>): string {
  const generation = String(module.metadata.generation)
  const used = usedOf(module)
  if (used === undefined) return generation
  return `${generation}-${Number(used.split('-')[1] ?? 1) + 1}`
}

/** Value that was used last, if it was for the current spec. */
export function usedOf({ metadata, status }: Stored<Module>): string | undefined {
  const used = status?.rollout?.removals?.allowance
  return used?.split('-')[0] === String(metadata.generation) ? used : undefined
}
