/**
 * What time it is at a server, out of the header `Date` of its answers. That has whole seconds, and an answer is under way
 * for some time: each answer bounds the server's time from both sides, and all of them together bound it more closely than
 * the last one does.
 */
import { MOST_DRIFT } from '../env/elapsedtime.ts'
import type { Clock } from '../env/env.ts'
import { parseHttpDateMs } from '../object/time.ts'

/** The server's time now. */
export interface ServerTime {
  /** Milliseconds since the epoch; what the server's clock shows is no less, and no more than `errorMs` later. */
  readonly nowMs: number
  /** At most a second and the time of the quickest answer; more only as long as no answer comes. */
  readonly errorMs: number
  /** Since the last answer, by our monotonic clock. */
  readonly ageMs: number
  /** Raised by each answer that contradicts all before it: times of different epochs are not comparable. */
  readonly epoch: number
}

const SECOND = 1000

/** The server's clock minus our monotonic one lies between the two, as of `at` of the latter. */
interface Bounds {
  readonly at: number
  readonly least: number
  readonly most: number
}

export class ServerClock {
  private readonly clock: Clock
  private bounds: Bounds | undefined
  private heardAt = 0
  private epoch = 0

  constructor(clock: Clock) {
    this.clock = clock
  }

  /**
   * Of an answer that has just come: its `Date`, and when it was asked for by the monotonic clock. A text that is no time
   * says nothing. What contradicts all that was known is believed: a clock was set, or another server answers.
   */
  heard(date: string | undefined, askedAt: number): void {
    const said = date === undefined ? undefined : parseHttpDateMs(date)
    if (said === undefined) return
    const at = this.clock.steady()
    const seen: Bounds = { at, least: said - at, most: said + SECOND - askedAt }
    const known = this.known(at)
    const least = Math.max(seen.least, known?.least ?? seen.least)
    const most = Math.min(seen.most, known?.most ?? seen.most)
    if (least > most) this.epoch++
    this.bounds = least <= most ? { at, least, most } : seen
    this.heardAt = at
  }

  /** Undefined: it has not said. */
  get time(): ServerTime | undefined {
    const steady = this.clock.steady()
    const known = this.known(steady)
    if (!known) return undefined
    const { least, most } = known
    return { nowMs: steady + least, errorMs: most - least, ageMs: steady - this.heardAt, epoch: this.epoch }
  }

  /** What was known some time ago is known less well. */
  private known(at: number): Bounds | undefined {
    if (!this.bounds) return undefined
    const slack = (at - this.bounds.at) * MOST_DRIFT
    return { at, least: this.bounds.least - slack, most: this.bounds.most + slack }
  }
}
