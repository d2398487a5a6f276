/**
 * How fast many clusters are asked for what nobody waits for (200 checks a second in all, 5 to one
 * cluster): one after the other, so that there is no burst, and clusters take turns.
 */
import type { Cancel, Env } from '../env/env.ts'

/** Turns a second. */
export interface RequestRate {
  /** To all clusters together. */
  readonly all: number
  /** To one of them. */
  readonly each: number
}

export const REQUEST_RATE: RequestRate = { all: 200, each: 5 }

/** Who somebody is and what others look at there; or only what keeps a cache as it is. The former go first. */
export type Urgency = 'soon' | 'later'

/** Of one cluster. */
export interface Lane {
  /**
   * Resolves when so many requests may be sent at once. It resolves, too, when the signal fires: the caller looks at the
   * signal itself.
   */
  acquire(urgency: Urgency, requests: number, signal?: AbortSignal): Promise<void>
  /** Whoever waits goes now: somebody waits for it. */
  letGo(): void
  /** Whoever waits goes now, if the lane has become free. */
  look(): void
}

export class RequestLimiter {
  private readonly shared: Shared
  /** Lanes that may have a turn as far as they are concerned, those that have waited longest first. */
  private readonly ready: Readonly<Record<Urgency, Set<LimitedLane>>> = { soon: new Set(), later: new Set() }
  private readonly spacing: Spacing
  private timer: Cancel | undefined

  constructor({ clock, meters }: Pick<Env, 'clock' | 'meters'>, pace: RequestRate = REQUEST_RATE) {
    this.spacing = new Spacing(1000 / pace.all)
    this.shared = { clock, meters, gapMs: 1000 / pace.each, offer: (lane) => this.offer(lane), waiting: 0 }
  }

  /** Nobody waits. */
  get isIdle(): boolean {
    return this.shared.waiting === 0
  }

  /** `isFree`: somebody waits for this cluster. Nothing of it is kept waiting then, nor counted. */
  lane(isFree: () => boolean): Lane {
    return new LimitedLane(this.shared, isFree)
  }

  private offer(lane: LimitedLane): void {
    const { urgency } = lane
    for (const of of ['soon', 'later'] as const)
      if (of === urgency) this.ready[of].add(lane)
      else this.ready[of].delete(lane)
    this.serve()
  }

  private serve(): void {
    const { clock } = this.shared
    while (!this.timer) {
      const [lane] = this.ready.soon.size > 0 ? this.ready.soon : this.ready.later
      if (!lane) return
      const now = clock.steady()
      const at = this.spacing.mayGoAt(lane.requests)
      if (at > now) {
        this.timer = clock.at(at, () => {
          this.timer = undefined
          this.serve()
        })
        return
      }
      this.spacing.went(now, lane.requests)
      // It goes behind those that wait.
      for (const lanes of Object.values(this.ready)) lanes.delete(lane)
      lane.next(now)
    }
  }
}

/** What all lanes have in common. */
interface Shared extends Pick<Env, 'clock' | 'meters'> {
  /** Between two requests of one lane. */
  readonly gapMs: number
  readonly offer: (lane: LimitedLane) => void
  waiting: number
}

/** When the next ones may go. Those that go together have as much room as one after the other, before and behind them. */
class Spacing {
  private readonly gapMs: number
  private lastAt = Number.NEGATIVE_INFINITY
  private lastRequests = 1

  constructor(gapMs: number) {
    this.gapMs = gapMs
  }

  mayGoAt(requests: number): number {
    return this.lastAt + this.gapMs * Math.max(requests, this.lastRequests)
  }

  went(now: number, requests: number): void {
    this.lastAt = now
    this.lastRequests = requests
  }
}

interface LimitedRequest {
  readonly since: number
  readonly requests: number
  readonly go: () => void
}

class LimitedLane implements Lane {
  private readonly shared: Shared
  private readonly isFree: () => boolean
  private readonly waiting: Readonly<Record<Urgency, Set<LimitedRequest>>> = {
    soon: new Set(),
    later: new Set(),
  }
  private readonly spacing: Spacing
  private timer: Cancel | undefined

  constructor(shared: Shared, isFree: () => boolean) {
    this.shared = shared
    this.spacing = new Spacing(shared.gapMs)
    this.isFree = isFree
  }

  /** Of what may go now; undefined: there is nothing, or this cluster has had its turn a moment ago. */
  get urgency(): Urgency | undefined {
    const first = this.first()
    return first && this.spacing.mayGoAt(first.one.requests) <= this.shared.clock.steady()
      ? first.urgency
      : undefined
  }

  /** Of what comes next. */
  get requests(): number {
    return this.first()?.one.requests ?? 0
  }

  async acquire(urgency: Urgency, requests: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return
    if (this.isFree()) return this.count('free', 0)
    this.shared.waiting++
    await new Promise<void>((resolve) => {
      const left = (): void => {
        this.waiting[urgency].delete(one)
        resolve()
        this.offer()
      }
      const one: LimitedRequest = {
        since: this.shared.clock.steady(),
        requests,
        go: () => {
          signal?.removeEventListener('abort', left)
          resolve()
        },
      }
      this.waiting[urgency].add(one)
      signal?.addEventListener('abort', left, { once: true })
      this.offer()
    })
    this.shared.waiting--
  }

  /** Lets one go. */
  next(now: number): void {
    const first = this.first()
    if (!first) return
    const { urgency, one } = first
    this.waiting[urgency].delete(one)
    this.spacing.went(now, one.requests)
    this.count(urgency, now - one.since)
    one.go()
    this.offer()
  }

  letGo(): void {
    const now = this.shared.clock.steady()
    for (const of of Object.values(this.waiting))
      for (const one of of) {
        of.delete(one)
        this.count('free', now - one.since)
        one.go()
      }
    this.offer()
  }

  look(): void {
    if (this.waiting.soon.size + this.waiting.later.size > 0 && this.isFree()) this.letGo()
  }

  private first(): { readonly urgency: Urgency; readonly one: LimitedRequest } | undefined {
    for (const urgency of ['soon', 'later'] as const)
      for (const one of this.waiting[urgency]) return { urgency, one }
    return undefined
  }

  /** Now, or as soon as this cluster may be asked again. */
  private offer(): void {
    this.shared.offer(this)
    this.timer?.()
    this.timer = undefined
    const first = this.first()
    if (!first || this.urgency !== undefined) return
    this.timer = this.shared.clock.at(this.spacing.mayGoAt(first.one.requests), () => {
      this.timer = undefined
      this.shared.offer(this)
    })
  }

  private count(urgency: Urgency | 'free', waitedMs: number): void {
    this.shared.meters.observe('lockstep_cluster_turn_wait_seconds', { urgency }, waitedMs / 1000)
  }
}

/** Whoever is never kept waiting. */
export const UNLIMITED_LANE: Lane = { acquire: async () => {}, letGo() {}, look() {} }
