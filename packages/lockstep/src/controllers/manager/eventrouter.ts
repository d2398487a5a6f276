/** Where caches and clusters tell of changes: to the controllers, once there are any. */
import type { Stored } from '@lockstep/kube/object'
import type { RemoteAssemblage } from '../../api/kinds/index.ts'
import type { ClusterView, Fleet } from '../../fleet/clusters/index.ts'
import type { HubEvents } from '../cache/index.ts'
import { noteCluster } from '../remoteassemblage/index.ts'
import type { Dispatcher, HubKind, HubKinds } from '../runtime/index.ts'

export interface RoutedControllers {
  readonly dispatcher: Dispatcher
  /** Puts every object into the queue again. */
  resync(): void
  /** A Pipeline waits for the cluster to answer again. */
  isAwaited(view: ClusterView): boolean
}

/** No rule is asked before the start: in an incomplete cache an object that exists looks deleted. */
export class EventRouter implements Omit<HubEvents, 'synced' | 'readRefused'> {
  private readonly fleet: () => Fleet
  private to: RoutedControllers | undefined

  constructor(fleet: () => Fleet) {
    this.fleet = fleet
  }

  connect(to: RoutedControllers): void {
    this.to = to
  }

  changed<K extends HubKind>(kind: K, before: HubKinds[K] | undefined, after: HubKinds[K] | undefined): void {
    this.to?.dispatcher.changed(kind, before, after)
    if (kind === 'keys') this.to?.resync()
  }

  clusterRecorded(
    before: Stored<RemoteAssemblage> | undefined,
    after: Stored<RemoteAssemblage> | undefined,
  ): void {
    noteCluster(this.fleet(), before, after)
  }

  clusterChanged(before: ClusterView | undefined, after: ClusterView | undefined): void {
    this.fleet().observe(before, after)
  }

  secretChanged(id: string): boolean {
    return this.to === undefined || this.to.dispatcher.secretChanged(id)
  }

  /** Rare, and everything in it may be due. */
  namespacesChanged(): void {
    this.resync()
  }

  cluster(view: ClusterView): void {
    this.to?.dispatcher.clusterChanged(view)
  }

  object(view: ClusterView, label: string, id: string): void {
    this.to?.dispatcher.objectChanged(view, label, id)
  }

  judged(view: ClusterView, label: string): void {
    this.to?.dispatcher.unitJudged(view, label)
  }

  selected(view: ClusterView, id: string): boolean {
    return this.to === undefined || this.to.dispatcher.selectionChanged(view, id)
  }

  isAwaited(view: ClusterView): boolean {
    return this.to?.isAwaited(view) === true
  }

  /** A cache was completed late. */
  resync(): void {
    this.to?.resync()
  }
}
