/** Selections that one unit reads on its cluster. */

import type { ServedResource } from '@lockstep/kube/client'
import { apiVersionOf } from '@lockstep/kube/object'
import type { LookupQuery, LookupResult, ObjectLookup } from '../../deliver/state/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { type ClusterSession, selectionId } from '../../fleet/connection/index.ts'
import type { Request } from './requestkeys.ts'
import type { WatchIndex } from './watchindex.ts'

interface WatchedCluster {
  readonly cluster: ClusterView
  readonly session: ClusterSession
}

/** Selections of one unit during one reconcile. */
export class UnitWatches {
  private readonly index: WatchIndex
  private readonly request: Request
  private readonly view: ClusterView
  private readonly session: ClusterSession
  private seen = new Set<string>()
  /** Ids of the same selections. */
  private read = new Set<string>()

  constructor(index: WatchIndex, request: Request, { cluster, session }: WatchedCluster) {
    this.index = index
    this.request = request
    this.view = cluster
    this.session = session
  }

  /** A new reconcile: only selections from now on count. */
  open(): ObjectLookup {
    this.seen = new Set()
    this.read = new Set()
    return (s) => this.find(s)
  }

  /** A selection that this reconcile reads. */
  note(id: string): void {
    this.read.add(id)
    // Before the watch begins: its first event asks the index.
    this.seen.add(this.index.add(this.request, { view: this.view, id }))
  }

  /** False: the watch of one of its selections was silent for a minute, and is being listed. */
  areCurrent(): boolean {
    return [...this.read].map((id) => this.session.selections.isCurrent(id)).every((isCurrent) => isCurrent)
  }

  /** Ends the watches of selections that this reconcile did not read. */
  close(): void {
    for (const { id } of this.index.keep(this.request, this.seen)) this.session.selections.release(id)
  }

  private find(s: LookupQuery): LookupResult {
    const resource =
      s.type === undefined ? this.session.served(s.group, s.kind, s.version) : this.session.named(s.type)
    if (!resource) return { type: 'NotServed' }
    const found = this.look(s, resource)
    return s.type === undefined || found.type === 'NotServed' ? found : { ...found, resource }
  }

  private look(s: LookupQuery, resource: ServedResource): LookupResult {
    if (resource.namespaced && s.namespace === undefined && s.name !== undefined) return { type: 'Misplaced' }
    const selection = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      namespace: resource.namespaced ? s.namespace : undefined,
      name: s.name,
      // A name in a spec asks only whether the object exists.
      ...(s.type === undefined ? {} : { fields: 'metadata' as const }),
    }
    const id = selectionId(selection)
    this.note(id)
    const found = this.session.selections.select(selection)
    switch (found.type) {
      case 'Read':
        return { ...found, hasStatus: resource.hasStatus }
      case 'Unread':
        return { type: found.forbidden ? 'Forbidden' : 'Unread', detail: found.detail }
      case 'NotServed':
      case 'Syncing':
        return { type: found.type }
    }
  }
}
