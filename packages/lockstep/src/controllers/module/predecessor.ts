/** A module that was made anew while the one that had its name before still leaves: it waits, cluster by cluster. Pure. */

import { refText, type Stored } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Assignment, Inventory, Module } from '../../api/kinds/index.ts'
import { namedUnit } from '../../decisions/graph/index.ts'
import type { UnitFacts } from './unitviews.ts'

/** Its record was written by a module of the same name that is gone; what that has delivered goes first. */
export const isPredecessors = (
  { metadata: { uid } }: Pick<Stored<Module>, 'metadata'>,
  record: Pick<Assignment, 'uid' | 'removal'> | undefined,
): boolean => record?.removal !== undefined && record.uid !== uid

/** More than that nobody reads. */
const MOST_OBJECTS = 3

/** What it still has on a cluster, and what holds that up: `2 objects left (ConfigMap app/a, ConfigMap app/b)`. */
export function remainingText({ spec, status }: Pick<Inventory, 'spec' | 'status'>): string {
  const objects = spec.objects ?? []
  const [first] = status?.blockers ?? []
  const names = objects.slice(0, MOST_OBJECTS).map(refText).join(', ')
  const more = objects.length > MOST_OBJECTS ? `, and ${objects.length - MOST_OBJECTS} more` : ''
  const what =
    objects.length === 0
      ? 'no object left'
      : `${objects.length} ${objects.length === 1 ? 'object' : 'objects'} left (${names}${more})`
  return first ? `${what}; ${first.reason}: ${first.message}` : what
}

/** One blocker, with the number of clusters: the first of them, and what is left there. */
export function predecessorBlockers(module: Stored<Module>, units: readonly UnitFacts[]): NewBlocker[] {
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
