/** Whose an object is that a ClusterResourceSet in ApplyOnce or Reconcile names as well. */
import type { Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../api/kinds/index.ts'
import { parseUnitName, unitName } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { companionRef, type HubInformers, SET_KIND, selectsBySet, setRef } from '../cache/index.ts'

/**
 * By the label of an object. Not of another unit: of the set itself, or of a set that left its marks and was deleted, or does not
 * select the cluster. Objects of a set that was Continuous have the mark of its Module.
 */
export function isOfAnotherUnit(
  { sets }: Pick<HubInformers, 'sets'>,
  set: Stored<ClusterResourceSet>,
  unit: string,
  cluster: ClusterView,
): boolean {
  if (unit === unitName(setRef(set)) || unit === unitName(companionRef(set))) return false
  const read = parseUnitName(unit)
  if (read?.kind !== SET_KIND) return true
  const other = sets.get({ namespace: read.namespace, name: read.name })
  // A set of another hub namespace selects clusters of its own.
  return other !== undefined && (read.namespace !== cluster.namespace || selectsBySet(other, cluster))
}
