import type { Stored } from '@lockstep/kube/object'
import { PAUSED_ANNOTATION } from '../../api/labels.ts'
import type { ClusterView, InventoryKind } from '../clusters/cluster.ts'

/** What every inventory's object says in the same way. */
export function inventoryHeadOf(kind: InventoryKind, { metadata }: Stored): Omit<ClusterView, 'access'> {
  const annotations = metadata.annotations ?? {}
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    standsIn: false,
    objectName: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    labels: metadata.labels ?? {},
    annotations,
    properties: {},
    paused: annotations[PAUSED_ANNOTATION] === 'true' ? `annotation ${PAUSED_ANNOTATION}` : undefined,
    deleting: metadata.deletionTimestamp !== undefined,
    initialized: true,
  }
}
