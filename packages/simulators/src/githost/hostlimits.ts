/**
 * How many requests a host answers: docs.github.com "Rate limits for the REST API" has 5,000 an hour, and for what makes content
 * 80 a minute and 500 an hour. The others have none here until they are given one.
 */
import type { Clock } from '@lockstep/kube/env'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export class HostLimits {
  perHour = 5000
  contentPerMinute = 80
  contentPerHour = 500
  private readonly clock: Clock
  private windowEnds = 0
  private used = 0
  private readonly content: number[] = []

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** One more request: undefined where it is answered. */
  count(
    provider: string,
    method: string,
  ): { readonly which: 'primary' | 'secondary'; readonly seconds: number } | undefined {
    if (provider !== 'github') return undefined
    const now = this.clock.now()
    this.roll(now)
    if (this.used >= this.perHour)
      return { which: 'primary', seconds: Math.ceil((this.windowEnds - now) / 1000) }
    this.used++
    if (method === 'GET') return undefined
    while (this.content[0] !== undefined && this.content[0] <= now - HOUR) this.content.shift()
    const lastMinute = this.content.filter((at) => at > now - MINUTE).length
    if (lastMinute >= this.contentPerMinute || this.content.length >= this.contentPerHour)
      return { which: 'secondary', seconds: 60 }
    this.content.push(now)
    return undefined
  }

  /** Nothing is left for so long. */
  close(seconds: number): void {
    this.used = this.perHour
    this.windowEnds = this.clock.now() + seconds * 1000
  }

  left(): { readonly limit: number; readonly remaining: number; readonly resetsAt: number } {
    this.roll(this.clock.now())
    return {
      limit: this.perHour,
      remaining: Math.max(0, this.perHour - this.used),
      resetsAt: this.windowEnds,
    }
  }

  private roll(now: number): void {
    if (now < this.windowEnds) return
    this.windowEnds = now + HOUR
    this.used = 0
  }
}
