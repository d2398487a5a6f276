/** What a controller knows of the objects of a resource: true a while ago. */

import type { LocalApi } from '@lockstep/apiserver/server'
import type { Cancel, Clock } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import { keyOf } from './fluxkind.ts'

/** `old` is undefined for a new object, `next` for one that is gone. */
export type CacheObserver = (old: KubeObject | undefined, next: KubeObject | undefined) => void

export class FluxCache {
  private readonly objects = new Map<string, KubeObject>()
  private readonly seen: CacheObserver[] = []
  private readonly clock: Clock
  private readonly lagMs: () => number
  private readonly stopWatch: Cancel
  private lastAt = 0
  private stopped = false

  /** Objects that are there already are known at once; later changes after `lagMs()`, in their order. */
  constructor(clock: Clock, api: LocalApi, resource: string, lagMs: () => number) {
    this.clock = clock
    this.lagMs = lagMs
    for (const o of api.list(resource)) this.objects.set(keyOf(o), o)
    this.stopWatch = api.watch(resource, ({ type, object }) =>
      this.later(() => this.take(keyOf(object), type === 'DELETED' ? undefined : object)),
    )
  }

  /** Called for what is there, then for each change once it is known. */
  subscribe(fn: CacheObserver): void {
    this.seen.push(fn)
    for (const o of this.objects.values()) fn(undefined, o)
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.objects.get(`${namespace ?? ''}/${name}`)
  }

  all(): KubeObject[] {
    return [...this.objects.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  }

  stop(): void {
    this.stopped = true
    this.stopWatch()
  }

  private later(fn: () => void): void {
    this.lastAt = Math.max(this.lastAt, this.clock.steady() + this.lagMs())
    this.clock.at(this.lastAt, fn)
  }

  private take(key: string, next: KubeObject | undefined): void {
    if (this.stopped) return
    const old = this.objects.get(key)
    if (next) this.objects.set(key, next)
    else this.objects.delete(key)
    for (const fn of this.seen) fn(old, next)
  }
}
