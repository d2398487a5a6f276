/** Requests that look at objects which they do not deliver: whom a change of those concerns, and which watches may end. */

import { type ClusterView, clusterKey } from '../../fleet/clusters/index.ts'
import type { Request } from './requestkeys.ts'

/** What is looked at: a selection on a cluster, or (without a view) among the inputs beside a module. */
export interface WatchedSelection {
  readonly view: ClusterView | undefined
  readonly id: string
}

/** The hub is one cluster of every namespace. */
const placeOf = (view: ClusterView): string => (view.access.type === 'Hub' ? 'hub' : clusterKey(view))

const watchKey = ({ view, id }: WatchedSelection): string => `${view ? placeOf(view) : 'inputs'} ${id}`

const nameOf = ({ controller, id }: Request): string => `${controller} ${id}`

export class WatchIndex {
  /** By what is looked at, then by request. */
  private readonly watchers = new Map<string, Map<string, Request>>()
  /** By request, then by what it looks at. */
  private readonly watched = new Map<string, Map<string, WatchedSelection>>()

  /** Who looks at it. */
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

  /** The request looks at nothing else any more; gives what it has turned away from. */
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
