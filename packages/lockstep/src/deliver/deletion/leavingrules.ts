/** Settings of an object that its unit would delete, by its Inventory and the cluster. Pure. */
import { identityOf, type KubeObject } from '@lockstep/kube/object'
import type { InventoryObject, ModuleSpec } from '../../api/kinds/index.ts'
import type { DeletionAnnotations } from '../../decisions/order/index.ts'
import type { DeletionCause } from './deletionpolicy.ts'
import { needsConfirmation } from './existedmember.ts'
import type { PruneEntry } from './prune.ts'

export interface LeavingGrounds {
  readonly leave: DeletionCause
  /** Objects that the bundle has, and that are not ours to look after any more. */
  readonly letGo?: ReadonlySet<string>
  /** Absent: objects that existed before are not asked about. */
  readonly namespaces?: ModuleSpec['apply']['namespaces'] | undefined
}

/** Recorded settings, and annotations of the object on the cluster by any author. */
export function leavingRules(
  entry: InventoryObject,
  live: PruneEntry['live'],
  { leave, letGo: freed, namespaces = 'Confirm' }: LeavingGrounds,
  said: (o: KubeObject) => DeletionAnnotations,
): Pick<PruneEntry, 'kept' | 'confirm' | 'existed'> {
  const isNamespace = entry.group === '' && entry.kind === 'Namespace'
  const existed =
    typeof live === 'object' && needsConfirmation(entry, live) && !(isNamespace && namespaces === 'Delete')
  const there = typeof live === 'object' ? said(live.object) : undefined
  const isDeleted = leave === 'Prune' ? there?.prune : there?.delete
  return {
    kept:
      isDeleted === false ||
      entry.keep?.includes(leave) === true ||
      freed?.has(identityOf(entry)) === true ||
      (isNamespace && namespaces === 'Keep'),
    confirm: existed || there?.confirm.includes(leave) === true || entry.confirm?.includes(leave) === true,
    existed,
  }
}
