/** Whose an object is that a ClusterResourceSet in ApplyOnce or Reconcile names as well. */
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { ClusterResourceSet } from '../../api/kinds/clusterresourceset/spec.ts'
import { unitText } from '../../deliver/ownership/foreignunit.ts'
import { unitName, parseUnitName } from '../../deliver/plan/unitnames.ts'
import type { HubInformers } from '../cache/hubcaches.ts'
import { companionRef } from './companionmodule.ts'
import { SET_KIND, setRef } from '../cache/setplan.ts'

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
