/**
 * One term as two threads know it, in memory that both see. One renews the Lease; the other writes, and beats: what stands
 * still does not hold on to the right to write, and what is merely busy does not lose it.
 */
import { isHeld, type LeaseTimes, leftMs, type Moment } from './candidate.ts'

/** A thread that has not come round to a beat for so long stands still. */
export const STALL_MS = 5000
export const BEAT_MS = 1000

const RENEWED_STEADY = 0
const RENEWED_WALL = 1
const BEAT = 2
const THREAD_BEAT = 3
const ANSWERED = 4
const CELLS = 5

export class SharedTerm {
  readonly memory: SharedArrayBuffer
  private readonly cells: BigInt64Array
  private readonly times: LeaseTimes
  /** When this thread last found that it had stood still: what was renewed before that does not count. */
  private brokenAt = Number.NEGATIVE_INFINITY

  constructor(times: LeaseTimes, memory = new SharedArrayBuffer(CELLS * 8)) {
    this.times = times
    this.memory = memory
    this.cells = new BigInt64Array(memory)
  }

  /** Said by the thread that renews. A reader between the two writes sees the earlier of both instants, never more. */
  renewed({ steady, wall }: Moment): void {
    this.write(RENEWED_WALL, wall)
    this.write(RENEWED_STEADY, steady)
  }

  /** Whether the other thread beats; asked by the thread that renews. Steady milliseconds. */
  isAlive(steady: number): boolean {
    return steady - this.read(BEAT) < STALL_MS
  }

  /** Said by the thread that writes, once in `BEAT_MS`. */
  beat(steady: number): void {
    this.look(steady)
    this.write(BEAT, steady)
  }

  /** Whether the thread that writes may begin to. After it has stood still: once the Lease was renewed again. */
  isHeld(now: Moment): boolean {
    this.look(now.steady)
    const renewed = this.renewedAt()
    return renewed.steady > this.brokenAt && isHeld({ renewed }, this.times, now)
  }

  /** Said by the thread that renews, once in `BEAT_MS`. */
  threadBeat(steady: number): void {
    this.write(THREAD_BEAT, steady)
  }

  /** Said by the thread that renews: the hub has answered about the Lease. */
  answered(steady: number): void {
    this.write(ANSWERED, steady)
  }

  /** Milliseconds since the thread that renews came round, and since the hub answered it; undefined: never. */
  threadAges(steady: number): {
    readonly beatMs: number | undefined
    readonly answeredMs: number | undefined
  } {
    const age = (cell: number): number | undefined => {
      const at = this.read(cell)
      return at === 0 ? undefined : steady - at
    }
    return { beatMs: age(THREAD_BEAT), answeredMs: age(ANSWERED) }
  }

  /** Milliseconds before another may lead; 0: nothing may begin. */
  leftMs(now: Moment): number {
    return this.isHeld(now) ? leftMs({ renewed: this.renewedAt() }, this.times, now) : 0
  }

  private renewedAt(): Moment {
    return { steady: this.read(RENEWED_STEADY), wall: this.read(RENEWED_WALL) }
  }

  /** Before the first beat nothing was held that could be lost. */
  private look(steady: number): void {
    if (!this.isAlive(steady)) this.brokenAt = steady
  }

  /** Whole microseconds: integers are read and written at once. */
  private write(cell: number, ms: number): void {
    Atomics.store(this.cells, cell, BigInt(Math.floor(ms * 1000)))
  }

  private read(cell: number): number {
    return Number(Atomics.load(this.cells, cell)) / 1000
  }
}
