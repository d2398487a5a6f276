/** What others have just undone: the executor learns of it a moment later, and cannot be blamed for that moment. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import type { KubeObject } from '@lockstep/kube/object'
import { isDelivery } from './inventorybyuid.ts'

/** A watch tells of a change within so long, also where it was cut and began anew. */
export const NEWS_MS = 2000

interface UndoneChange {
  readonly object: KubeObject
  readonly at: number
}

export class RecentChanges {
  private readonly clock: () => number
  private readonly newsMs: number
  private readonly undone = new Map<string, UndoneChange[]>()

  /** `clock`: monotonic milliseconds. `newsMs`: limit within which a change is known. */
  constructor(clock: () => number, newsMs = NEWS_MS) {
    this.clock = clock
    this.newsMs = newsMs
  }

  add(c: CommitRecord): void {
    const id = `${c.cluster} ${c.resource} ${c.key}`
    // What the executor itself replaced, it knows of.
    if (isDelivery(c)) {
      this.undone.delete(id)
      return
    }
    if (!c.old || c.old.metadata.deletionTimestamp !== undefined) return
    this.undone.set(id, [...this.recent(id), { object: c.old, at: this.clock() }])
  }

  /** Versions that others have replaced or deleted a moment ago. */
  versions(cluster: string, resource: string, key: string): readonly KubeObject[] {
    return this.recent(`${cluster} ${resource} ${key}`).map((u) => u.object)
  }

  private recent(id: string): UndoneChange[] {
    const now = this.clock()
    return (this.undone.get(id) ?? []).filter((u) => now - u.at <= this.newsMs)
  }
}
