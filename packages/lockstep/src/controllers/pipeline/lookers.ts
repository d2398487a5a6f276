/** Pipelines that look at objects: whose business a change of those is, and which watches may end. */

import type { ClusterView } from '../../fleet/clusters/index.ts'
import { watchKey } from '../runtime/index.ts'

export class Lookers {
  /** By place and selection, then by pipeline. */
  private readonly lookers = new Map<string, Set<string>>()
  /** By pipeline. */
  private readonly looks = new Map<string, Set<string>>()

  of(view: ClusterView, id: string): readonly string[] {
    return [...(this.lookers.get(watchKey(view, id)) ?? [])]
  }

  add(pipeline: string, view: ClusterView, id: string): string {
    const key = watchKey(view, id)
    const there = this.lookers.get(key) ?? new Set()
    this.lookers.set(key, there.add(pipeline))
    const looks = this.looks.get(pipeline) ?? new Set()
    this.looks.set(pipeline, looks.add(key))
    return key
  }

  /** The pipeline looks at nothing else any more. */
  keep(pipeline: string, keys: ReadonlySet<string>): void {
    const looks = this.looks.get(pipeline)
    for (const key of looks ?? []) {
      if (keys.has(key)) continue
      const there = this.lookers.get(key)
      there?.delete(pipeline)
      if (there?.size === 0) this.lookers.delete(key)
      looks!.delete(key)
    }
    if (looks?.size === 0) this.looks.delete(pipeline)
  }
}
