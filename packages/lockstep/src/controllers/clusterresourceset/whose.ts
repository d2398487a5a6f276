/** Whose an object is that a ClusterResourceSet in ApplyOnce or Reconcile names as well. */
import type { Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet } from '../../api/kinds/index.ts'
import { unitText } from '../../deliver/ownership/index.ts'
import { parseUnitName, unitName } from '../../deliver/plan/index.ts'
import { companionRef, type HubInformers, SET_KIND, setRef } from '../cache/index.ts'

/**
 * `Module platform/web`, by the label of an object; undefined: it is the set's own, or that of a set that is gone, which leaves
 * its marks. What the set has delivered as a Continuous one has the mark of its Module.
 */
export function anotherUnit(
  { sets }: Pick<HubInformers, 'sets'>,
  set: Stored<ClusterResourceSet>,
  unit: string,
): string | undefined {
  if (unit === unitName(setRef(set)) || unit === unitName(companionRef(set))) return undefined
  const read = parseUnitName(unit)
  const isLeft = read?.kind === SET_KIND && !sets.get({ namespace: read.namespace, name: read.name })
  return isLeft ? undefined : unitText(unit)
}
