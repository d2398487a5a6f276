/** How often one credential may ask something of one host: so often a minute and an hour, in turns. */
import type { Clock } from '@lockstep/kube/env'
import { RateLimitBudget } from './ratelimit.ts'
import { RetryAfter } from './retryafter.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** Who was told to wait and has not come back so long after that does not want it any more. */
const PATIENCE_MS = 30_000

interface RequestInLine {
  /** When it may come again, on the monotonic clock. */
  readonly atMs: number
}

export interface PaceLimit {
  readonly aMinute: number
  readonly anHour: number
}

/** Below what GitHub takes for too much content (docs.github.com "Rate limits for the REST API": 80 a minute, 500 an hour). */
export const WRITE_PACE: PaceLimit = { aMinute: 60, anHour: 400 }

/** Of one host and one credential, for all who have it: namespaces that write, repositories that are looked at. */
export class RequestPace {
  private readonly clock: Clock
  private readonly most: () => PaceLimit
  /** Times of what was asked in the last hour, earlier ones first. */
  private readonly sent: number[] = []
  /** Who was told to wait. */
  private readonly waiting = new Map<string, RequestInLine>()
  /** When each had its last turn. */
  private readonly served = new Map<string, number>()
  private last: Promise<unknown> = Promise.resolve()

  /** `most`: as much as it is by now. */
  constructor(clock: Clock, most: () => PaceLimit = () => WRITE_PACE) {
    this.clock = clock
    this.most = most
  }

  /**
   * 0: it may be sent, and counts; otherwise milliseconds until it is worth asking again. Where there are fewer places than
   * there are who want one, those go first that have waited longest for their turn. `requests`: so many at once.
   */
  take(namespace: string, requests = 1): number {
    const now = this.clock.steady()
    while (this.sent.length > 0 && this.sent[0]! <= now - HOUR_MS) this.sent.shift()
    for (const [who, { atMs }] of this.waiting) if (atMs + PATIENCE_MS < now) this.waiting.delete(who)
    const free = this.free(now)
    // What is more than there ever is has all of it.
    const places = Math.min(requests, this.most().aMinute)
    const before = [...this.waiting.keys()].filter(
      (w) => w !== namespace && this.isBefore(w, namespace),
    ).length
    if (before + places <= free) {
      this.waiting.delete(namespace)
      this.served.set(namespace, now)
      for (let i = 0; i < places; i++) this.sent.push(now)
      return 0
    }
    const waitMs = Math.max(1000, this.opensIn(now, before + places - 1 - free))
    this.waiting.set(namespace, { atMs: now + waitMs })
    return waitMs
  }

  /** One after the other: what is sent at once looks like abuse to a host. */
  alone<T>(send: () => Promise<T>): Promise<T> {
    const next = this.last.then(send)
    this.last = next.catch(() => {})
    return next
  }

  private free(now: number): number {
    const lastMinute = this.sent.filter((at) => at > now - MINUTE_MS).length
    const { aMinute, anHour } = this.most()
    return Math.min(aMinute - lastMinute, anHour - this.sent.length)
  }

  /** Milliseconds until so many more places are free, as far as that is known now. */
  private opensIn(now: number, more: number): number {
    const minute = this.sent.filter((at) => at > now - MINUTE_MS)
    const at = (times: readonly number[], most: number, spanMs: number): number => {
      const over = times.length - most + more
      return over < 0 ? 0 : (times[Math.min(over, times.length - 1)] ?? now) + spanMs - now
    }
    const { aMinute, anHour } = this.most()
    return Math.max(at(minute, aMinute, MINUTE_MS), at(this.sent, anHour, HOUR_MS))
  }

  private isBefore(a: string, b: string): boolean {
    return (this.served.get(a) ?? -1) < (this.served.get(b) ?? -1)
  }
}

/** Of one host and one credential. */
export interface CredentialTraffic {
  readonly writes: RequestPace
  /** What is looked at again and again. */
  readonly polls: RequestPace
  readonly left: RateLimitBudget
  readonly silence: RetryAfter
}

/** All of one process. */
export class CredentialTraffics {
  private readonly clock: Clock
  private readonly all = new Map<string, CredentialTraffic>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** `credential`: a digest of it, never itself. */
  of(origin: string, credential: string): CredentialTraffic {
    const key = `${origin} ${credential}`
    const known = this.all.get(key)
    if (known) return known
    const left = new RateLimitBudget(this.clock)
    const silence = new RetryAfter(this.clock)
    const polls = new RequestPace(this.clock, () => left.polls)
    const made = { writes: new RequestPace(this.clock), polls, left, silence }
    this.all.set(key, made)
    return made
  }
}
