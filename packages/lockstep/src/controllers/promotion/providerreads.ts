/** The last read of each promotion at its Git provider, by the steady clock; kept in the memory of the process. */

import type { Clock } from '@lockstep/kube/env'
import { POLL_MS } from '../../decisions/promotion/index.ts'

export class ProviderReads {
  private readonly clock: Pick<Clock, 'steady'>
  /** The version of the promotion that had nothing to do, and the time of its next read. */
  private readonly deferred = new Map<string, { readonly untilMs: number; readonly of: string }>()
  /** The last read or write of a promotion at its provider. */
  private readonly seenAt = new Map<string, number>()

  constructor(clock: Pick<Clock, 'steady'>) {
    this.clock = clock
  }

  /** Milliseconds until version `of` is read again. Other events do not make reads more frequent; another version does. */
  remainingMs(key: string, of: string): number {
    const last = this.deferred.get(key)
    if (last?.of !== of) return 0
    return Math.max(0, last.untilMs - this.clock.steady())
  }

  defer(key: string, of: string, ms = POLL_MS): void {
    this.deferred.set(key, { untilMs: this.clock.steady() + ms, of })
  }

  /** `ms` is one more than the time of the read: a shared read at the same millisecond may be older. */
  seen(key: string, ms: number): void {
    this.seenAt.set(key, Math.max(ms, this.seenAtMs(key)))
  }

  seenAtMs(key: string): number {
    return this.seenAt.get(key) ?? Number.NEGATIVE_INFINITY
  }

  forget(key: string): void {
    this.deferred.delete(key)
    this.seenAt.delete(key)
  }
}
