/**
 * What is left of a host's limit for one credential, by what its last answer has said: looking takes half of
 * it at most, and of the last tenth nothing but what changes something is sent.
 */
import type { Clock } from '@lockstep/kube/env'
import type { RequestBudget } from '../gitprovider.ts'

const MINUTE_MS = 60_000
/** Shares of a limit. */
const FOR_POLLS = 0.5
const FOR_WRITES = 0.1

interface KnownLimit {
  readonly budget: RequestBudget
  /** By the steady clock. */
  readonly endsAtMs: number
}

export interface ReadsPause {
  readonly ms: number
  /** `412 of 5000 requests`. */
  readonly left: string
}

export class RateLimitBudget {
  private readonly clock: Clock
  private known: KnownLimit | undefined

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** What a host said last; said before it says nothing new. */
  saw(budget: RequestBudget | undefined): void {
    if (!budget || budget === this.known?.budget) return
    this.known = { budget, endsAtMs: this.clock.steady() + budget.resetsInMs }
  }

  /** Reads wait so long; undefined: they do not. */
  get pause(): ReadsPause | undefined {
    const now = this.clock.steady()
    if (!this.known || this.known.endsAtMs <= now) return undefined
    const { limit, remaining } = this.known.budget
    if (remaining >= limit * FOR_WRITES) return undefined
    return { ms: this.known.endsAtMs - now, left: `${remaining} of ${limit} requests` }
  }

  /** How often it may be looked at what is open; a host that has said nothing of a limit has none. */
  get polls(): { readonly aMinute: number; readonly anHour: number } {
    const anHour = Number.POSITIVE_INFINITY
    if (!this.known) return { aMinute: anHour, anHour }
    const { limit, windowMs } = this.known.budget
    return { aMinute: Math.max(1, Math.floor((limit * FOR_POLLS * MINUTE_MS) / windowMs)), anHour }
  }
}
