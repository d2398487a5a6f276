/** Which unit an object on a cluster belongs to, by its marks. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { KubeObject } from '@lockstep/kube/object'
import { type ClusterHistory, HUB, INVENTORIES, OWNER, UNIT } from './clusterhistory.ts'

/** The field manager whose writes on clusters are judged. */
const EXECUTOR = 'lockstep'

/**
 * A write of the executor to an object that is, or was, marked. Kinds of its own bookkeeping on the hub are none, nor is what
 * ClusterResourceSets write that are not Continuous: beside the engine, as Cluster API does (ADR 0053).
 */
export function isDelivery(c: CommitRecord): boolean {
  if (c.actor !== EXECUTOR && !c.actor.startsWith('lockstep-controller')) return false
  const unit = mark(c.next) ?? mark(c.old)
  return unit !== undefined && !unit.startsWith(SET)
}

/** Of the label of a ClusterResourceSet that is not Continuous. */
const SET = 's.'

export const mark = (o: KubeObject | undefined): string | undefined => o?.metadata.labels?.[UNIT]

export const ownerOf = (o: KubeObject | undefined): string | undefined => o?.metadata.annotations?.[OWNER]

export function inventoryByUid(history: ClusterHistory, uid: string): KubeObject | undefined {
  for (const i of history.all(HUB, INVENTORIES)) if (i.metadata.uid === uid) return i
  return undefined
}
