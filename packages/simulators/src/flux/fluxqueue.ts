/** The work queue of a controller (controller-runtime): each key once, some at a time, again after a while or with backoff. */
import type { Cancel, Clock } from '@lockstep/kube/env'

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
  /** After so many failures in a row, counted from 0; Flux's own unless said otherwise. */
  readonly backoffMs?: (failures: number) => number
  /** Least time from the begin of a run to the next one of its key. */
  readonly gapMs?: number
}

const fluxBackoff = (failures: number): number => Math.min(MOST_BACKOFF, LEAST_BACKOFF * 2 ** failures)

export class FluxQueue {
  private readonly o: QueueOptions
  private readonly ready: string[] = []
  private readonly active = new Set<string>()
  /** Asked for while they ran. */
  private readonly again = new Set<string>()
  private readonly delayed = new Map<
    string,
    { readonly at: number; readonly cancel: Cancel; readonly isRetry: boolean }
  >()
  private readonly begun = new Map<string, number>()
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

  /** Nothing runs, and nothing is to run because something has changed; retries may be to come. */
  isIdle(): boolean {
    return (
      this.active.size === 0 && this.ready.length === 0 && [...this.delayed.values()].every((d) => d.isRetry)
    )
  }

  /** The earliest of several wishes counts. */
  private at(key: string, ms: number, isRetry = false): void {
    const { clock } = this.o
    const at = clock.steady() + ms
    const waiting = this.delayed.get(key)
    if (this.stopped || (waiting && waiting.at <= at)) return
    waiting?.cancel()
    const cancel = clock.at(at, () => {
      this.delayed.delete(key)
      this.take(key)
    })
    this.delayed.set(key, { at, cancel, isRetry })
  }

  private take(key: string): void {
    const early = (this.begun.get(key) ?? -Infinity) + (this.o.gapMs ?? 0) - this.o.clock.steady()
    if (this.active.has(key)) this.again.add(key)
    else if (early > 0) this.at(key, early)
    else if (!this.ready.includes(key)) this.ready.push(key)
    this.pump()
  }

  private pump(): void {
    while (!this.stopped && this.active.size < this.o.workers) {
      const key = this.ready.shift()
      if (key === undefined) return
      this.active.add(key)
      this.begun.set(key, this.o.clock.steady())
      void this.o.run(key).then((after) => this.ended(key, after))
    }
  }

  private ended(key: string, after: After): void {
    this.active.delete(key)
    if (after === 'backoff') {
      const n = this.failures.get(key) ?? 0
      this.failures.set(key, n + 1)
      this.at(key, (this.o.backoffMs ?? fluxBackoff)(n), true)
    } else {
      this.failures.delete(key)
      if (after !== 'done') this.at(key, after.ms, true)
    }
    if (this.again.delete(key)) this.take(key)
    else this.pump()
  }
}
