/** Controllers whose routes are still written by hand: they hear of the same changes, and share the queue. */
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { WebhookReceiver } from '../../gitproviders/events/index.ts'
import type { Controller } from './controller.ts'
import type { HubKind } from './hubkinds.ts'

export interface ControllerGroup {
  readonly controllers: readonly Controller[]
  /** Of those that take events from outside. */
  readonly eventDesk?: WebhookReceiver
  stop?(): void
  /** After a start, or when a cache was completed late. */
  enqueueAll(): void
  changed(kind: HubKind, before: unknown, after: unknown): void
  clusterChanged(view: ClusterView): void
  /** Something of theirs goes on as soon as the cluster is back. */
  awaits?(view: ClusterView): boolean
  /** A Secret, by the id of its selection; false: none of them needs it. */
  secretChanged(id: string): boolean
  /** What a selection finds on a cluster; false: none of them looks at it. */
  selectionChanged(view: ClusterView, id: string): boolean
}

/** All of them hear it, and each says whether it is its business. */
export const anyGroup = (all: readonly ControllerGroup[], hears: (b: ControllerGroup) => boolean): boolean =>
  all.map(hears).some((is) => is)
