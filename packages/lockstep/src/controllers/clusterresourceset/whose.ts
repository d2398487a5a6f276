/** Whose an object is that a ClusterResourceSet in ApplyOnce or Reconcile names as well. */
import type { Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../api/kinds/index.ts'
import { parseUnitName, unitName } from '../../deliver/plan/index.ts'
import { companionRef, type HubInformers, SET_KIND, setRef } from '../cache/index.ts'

/**
 * By the label of an object. Not of another unit: of the set itself, or of a set that was deleted and left its marks.
 * Objects of a set that was Continuous have the mark of its Module.
 */
export function isOfAnotherUnit(
  { sets }: Pick<HubInformers, 'sets'>,
  set: Stored<ClusterResourceSet>,
  unit: string,
): boolean {
  if (unit === unitName(setRef(set)) || unit === unitName(companionRef(set))) return false
  const read = parseUnitName(unit)
  return read?.kind !== SET_KIND || sets.get({ namespace: read.namespace, name: read.name }) !== undefined
}
