/** Clusters that their inventory has no more, while objects stay there. Pure. */

import type { Stored } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import type { Inventory } from '../../api/kinds/index.ts'
import { ORPHANED_ANNOTATION } from '../../api/labels.ts'
import { clusterRef, clusterText, type InventoryKind } from './cluster.ts'
import type { ClusterCondition } from './clustercondition.ts'

/** `inventories`: those of the cluster; they have the time at which its object was missed. */
export function goneCondition(
  namespace: string,
  { name, kind }: { readonly name: string; readonly kind: string },
  inventories: Iterable<Pick<Stored<Inventory>, 'metadata' | 'spec'>>,
): ClusterCondition & Required<Pick<ClusterCondition, 'blocker'>> {
  let remaining = 0
  let since: string | undefined
  for (const { metadata, spec } of inventories) {
    remaining += spec.objects?.length ?? 0
    const marked = metadata.annotations?.[ORPHANED_ANNOTATION]
    if (marked !== undefined && (since === undefined || marked < since)) since = marked
  }
  const object = clusterText({ kind: kind as InventoryKind, namespace, objectName: name })
  const blocker = blocked('ClusterGone', [clusterRef({ name, namespace })], { object, since, remaining })
  return { state: 'Absent', reason: blocker.reason, message: blocker.message, blocker }
}
