/** What is asked of each host: not more than a few things at once, and nothing as long as it asks to be left alone. */
import type { Clock } from '@lockstep/kube/env'
import { parseHttpDateMs, shortDuration, timestamp } from '@lockstep/kube/object'

const AT_ONCE = 4
/** The longest interval of a source: longer than that nobody is believed. */
const LONGEST_MS = 24 * 3_600_000

interface ThrottledHost {
  running: number
  readonly waiting: (() => void)[]
  /** On the monotonic clock. */
  quietUntil: number
  /** How often in a row it has refused. */
  refusals: number
}

export interface HostBackoff {
  readonly ms: number
  /** `5m` */
  readonly wait: string
  /** `2026-11-24T14:05:00Z` */
  readonly until: string
}

/** All of one process. */
export class HostThrottle {
  private readonly clock: Clock
  private readonly all = new Map<string, ThrottledHost>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Undefined: it may be asked. */
  pauseOf(host: string): HostBackoff | undefined {
    const ms = (this.all.get(host)?.quietUntil ?? 0) - this.clock.steady()
    if (ms <= 0) return undefined
    return { ms, wait: shortDuration(ms), until: timestamp(this.clock.now() + ms) }
  }

  /** It answered 429 or 503. Without `retry-after` it is left alone for longer each time, `mostMs` at most. */
  refused(host: string, headers: Readonly<Record<string, string>>, mostMs: number): HostBackoff {
    const h = this.of(host)
    const ms = Math.min(
      LONGEST_MS,
      askedMs(headers, this.clock.now()) ?? Math.min(mostMs, 1000 * 2 ** h.refusals),
    )
    h.refusals = Math.min(30, h.refusals + 1)
    h.quietUntil = Math.max(h.quietUntil, this.clock.steady() + ms)
    return this.pauseOf(host)!
  }

  answered(host: string): void {
    this.of(host).refusals = 0
  }

  /** Waits for a place among what is asked of it at once. */
  async turn<T>(host: string, work: () => Promise<T>): Promise<T> {
    const h = this.of(host)
    if (h.running < AT_ONCE) h.running++
    else await new Promise<void>((resolve) => h.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = h.waiting.shift()
      if (next) next()
      else h.running--
    }
  }

  private of(host: string): ThrottledHost {
    const known = this.all.get(host)
    if (known) return known
    const made: ThrottledHost = { running: 0, waiting: [], quietUntil: 0, refusals: 0 }
    this.all.set(host, made)
    return made
  }
}

/** RFC 9110: seconds, or a date by the host's own clock. At least a second. */
function askedMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const after = headers['retry-after']
  if (after === undefined) return undefined
  if (/^\d{1,9}$/.test(after)) return Math.max(1000, Number(after) * 1000)
  const date = parseHttpDateMs(after)
  return date === undefined ? undefined : Math.max(1000, date - (parseHttpDateMs(headers.date ?? '') ?? now))
}
