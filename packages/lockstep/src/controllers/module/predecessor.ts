/** A module that was made anew while the one that had its name before still leaves: it waits, cluster by cluster. Pure. */

import { refText, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Assignment, Module } from '../../api/kinds/index.ts'
import { namedUnit } from '../../decisions/graph/index.ts'
import type { UnitFacts } from './unitviews.ts'

/** Its record was written by a module of the same name that is gone; what that has delivered goes first. */
export const isPredecessors = (
  { metadata: { uid } }: Pick<Stored<Module>, 'metadata'>,
  record: Pick<Assignment, 'uid' | 'removal'> | undefined,
): boolean => record?.removal !== undefined && record.uid !== uid

/** More than that nobody reads. */
const MOST_OBJECTS = 3

/** A unit, as far as a predecessor is concerned. */
type PredecessorUnit = Pick<UnitFacts, 'record' | 'inventory'> & {
  readonly view: { readonly cluster: string }
}

/** One blocker, with the number of clusters: the first of them, and what is left there. */
export function predecessorBlockers(module: Stored<Module>, units: readonly PredecessorUnit[]): NewBlocker[] {
  const waiting = units.filter((u) => isPredecessors(module, u.record) && u.inventory !== undefined)
  const [first] = waiting
  if (!first) return []
  const { spec, status } = first.inventory!
  const objects = spec.objects ?? []
  const on = [namedUnit(`${module.kind}/${module.metadata.name}`, first.view.cluster)] as const
  const [cause] = status?.blockers ?? []
  const facts = {
    kind: module.kind,
    objects: objects.length,
    names: objects.slice(0, MOST_OBJECTS).map(refText),
    blocker: cause && `${cause.reason}: ${cause.message}`,
  }
  return [{ ...blocked('PreviousModuleRemoving', on, facts), count: waiting.length }]
}
