/** A host has told a credential to wait: until then nothing of it is asked, by whomever (docs.github.com "Rate limits for the REST API"). */
import type { Clock } from '@lockstep/kube/env'

/** Where it does not say for how long: a minute at least, and longer each time. */
const LEAST_MS = 60_000
const MOST_MS = 3_600_000

export class RetryAfter {
  private readonly clock: Clock
  /** By the steady clock. */
  private untilMs = 0
  /** So often in a row it did not say for how long. */
  private times = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Milliseconds; 0: anything may be sent. */
  get leftMs(): number {
    return Math.max(0, this.untilMs - this.clock.steady())
  }

  /** It was told to wait. What was on its way when another one was told so is told the same. Milliseconds. */
  begins(retryAfterMs: number | undefined): number {
    const now = this.clock.steady()
    const isNew = this.leftMs === 0
    const guessMs = isNew ? Math.min(MOST_MS, LEAST_MS * 2 ** this.times) : 0
    if (isNew && retryAfterMs === undefined) this.times++
    this.untilMs = Math.max(this.untilMs, now + (retryAfterMs ?? guessMs))
    return this.leftMs
  }

  /** It was answered. */
  ends(): void {
    if (this.leftMs === 0) this.times = 0
  }
}
