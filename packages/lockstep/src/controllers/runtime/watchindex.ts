/** Requests that read objects which they do not deliver: which of them a change concerns, and which watches may end. */

import { type ClusterView, clusterKey } from '../../fleet/clusters/index.ts'
import type { Request } from './requestkeys.ts'

/** A selection on a cluster, or (without a view) among the inputs beside a module. */
export interface WatchedSelection {
  readonly view: ClusterView | undefined
  readonly id: string
}

/** The hub is one cluster of every namespace. */
const placeOf = (view: ClusterView): string => (view.access.type === 'Hub' ? 'hub' : clusterKey(view))

const watchKey = ({ view, id }: WatchedSelection): string => `${view ? placeOf(view) : 'inputs'} ${id}`

const nameOf = ({ controller, id }: Request): string => `${controller} ${id}`

export class WatchIndex {
  /** By selection, then by request. */
  private readonly watchers = new Map<string, Map<string, Request>>()
  /** By request, then by selection. */
  private readonly watched = new Map<string, Map<string, WatchedSelection>>()

  /** Requests that read it. */
  of(selection: WatchedSelection): readonly Request[] {
    return [...(this.watchers.get(watchKey(selection))?.values() ?? [])]
  }

  /** From now on a change of it concerns the request; gives its key for `keep`. */
  add(request: Request, selection: WatchedSelection): string {
    const key = watchKey(selection)
    const name = nameOf(request)
    const there = this.watchers.get(key) ?? new Map<string, Request>()
    this.watchers.set(key, there.set(name, request))
    const watched = this.watched.get(name) ?? new Map<string, WatchedSelection>()
    this.watched.set(name, watched.set(key, selection))
    return key
  }

  /** The request reads no other selection any more; returns the others. */
  keep(request: Request, keys: ReadonlySet<string>): readonly WatchedSelection[] {
    const name = nameOf(request)
    const watched = this.watched.get(name)
    const left = [...(watched ?? [])].filter(([key]) => !keys.has(key))
    for (const [key] of left) {
      const there = this.watchers.get(key)
      there?.delete(name)
      if (there?.size === 0) this.watchers.delete(key)
      watched!.delete(key)
    }
    if (watched?.size === 0) this.watched.delete(name)
    return left.map(([, selection]) => selection)
  }
}
