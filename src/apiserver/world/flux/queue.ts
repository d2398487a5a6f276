/** The work queue of a controller (controller-runtime): each key once, some at a time, again after a while or with backoff. */
import type { Cancel, Clock } from '../../../env/env.ts'

/** What comes after a run: nothing, another one after so long, or one after a delay that doubles. */
export type After = 'done' | 'backoff' | { readonly ms: number }

/** `--min-retry-delay` and `--max-retry-delay`. */
const LEAST_BACKOFF = 750
const MOST_BACKOFF = 15 * 60_000

export interface QueueOptions {
  readonly clock: Clock
  readonly workers: number
  readonly noticeMs: number
  readonly run: (key: string) => Promise<After>
}

export class WorkQueue {
  private readonly o: QueueOptions
  private readonly ready: string[] = []
  private readonly active = new Set<string>()
  /** Asked for while they ran. */
  private readonly again = new Set<string>()
  private readonly delayed = new Map<string, { readonly at: number; readonly cancel: Cancel }>()
  private readonly failures = new Map<string, number>()
  private stopped = false

  constructor(o: QueueOptions) {
    this.o = o
  }

  add(key: string): void {
    this.at(key, this.o.noticeMs)
  }

  stop(): void {
    this.stopped = true
    for (const { cancel } of this.delayed.values()) cancel()
  }

  /** The earliest of several wishes counts. */
  private at(key: string, ms: number): void {
    const { clock } = this.o
    const at = clock.steady() + ms
    const waiting = this.delayed.get(key)
    if (this.stopped || (waiting && waiting.at <= at)) return
    waiting?.cancel()
    const cancel = clock.at(at, () => {
      this.delayed.delete(key)
      this.take(key)
    })
    this.delayed.set(key, { at, cancel })
  }

  private take(key: string): void {
    if (this.active.has(key)) this.again.add(key)
    else if (!this.ready.includes(key)) this.ready.push(key)
    this.pump()
  }

  private pump(): void {
    while (!this.stopped && this.active.size < this.o.workers) {
      const key = this.ready.shift()
      if (key === undefined) return
      this.active.add(key)
      void this.o.run(key).then((after) => this.ended(key, after))
    }
  }

  private ended(key: string, after: After): void {
    this.active.delete(key)
    if (after === 'backoff') {
      const n = this.failures.get(key) ?? 0
      this.failures.set(key, n + 1)
      this.at(key, Math.min(MOST_BACKOFF, LEAST_BACKOFF * 2 ** n))
    } else {
      this.failures.delete(key)
      if (after !== 'done') this.at(key, after.ms)
    }
    if (this.again.delete(key)) this.take(key)
    else this.pump()
  }
}
