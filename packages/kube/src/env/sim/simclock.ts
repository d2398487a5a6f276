import type { Cancel, Clock } from '../env.ts'

interface Timer {
  readonly at: number
  readonly seq: number
  readonly fn: () => void
  cancelled: boolean
}

/** Virtual time: it stands still while anything can run, then jumps to the next timer. */
export interface SimClock extends Clock {
  /**
   * Runs until `done` holds, no timer is left or `untilMs` of virtual time have passed. Between two timers every
   * promise that can settle does. Returns why it stopped.
   */
  run(done: () => boolean, untilMs?: number): Promise<'done' | 'idle' | 'time'>
  readonly pending: number
}

/** The instant at which every simulation starts: 2026-01-01T00:00:00Z. */
export const SIM_EPOCH = 1767225600000

/** `from`: milliseconds after the epoch at which it starts. */
export function createSimClock(settle: () => Promise<void>, from = 0): SimClock {
  const heap = new TimerHeap()
  let steady = from
  let seq = 0
  const fireNext = (): void => {
    const timer = heap.pop()
    if (!timer) return
    steady = Math.max(steady, timer.at)
    if (!timer.cancelled) timer.fn()
  }
  return {
    now: () => SIM_EPOCH + Math.floor(steady),
    steady: () => steady,
    at(steadyMs: number, fn: () => void): Cancel {
      const timer: Timer = { at: Math.max(steadyMs, steady), seq: seq++, fn, cancelled: false }
      heap.push(timer)
      return () => {
        timer.cancelled = true
      }
    },
    async run(done, untilMs = Number.POSITIVE_INFINITY) {
      const end = steady + untilMs
      for (;;) {
        await settle()
        if (done()) return 'done'
        const next = heap.peek()
        if (!next) return 'idle'
        if (next.at > end) {
          steady = end
          return 'time'
        }
        fireNext()
      }
    },
    get pending() {
      return heap.live()
    },
  }
}

/** Binary heap by time, then by order of creation: ties have one order. */
class TimerHeap {
  private readonly items: Timer[] = []

  live(): number {
    return this.items.filter((t) => !t.cancelled).length
  }

  peek(): Timer | undefined {
    while (this.items[0]?.cancelled) this.pop()
    return this.items[0]
  }

  push(timer: Timer): void {
    const items = this.items
    items.push(timer)
    let i = items.length - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!before(items[i]!, items[parent]!)) break
      swap(items, i, parent)
      i = parent
    }
  }

  pop(): Timer | undefined {
    const items = this.items
    const top = items[0]
    const last = items.pop()
    if (!top || !last || items.length === 0) return top
    items[0] = last
    for (let i = 0; ; ) {
      const left = 2 * i + 1
      let least = i
      if (left < items.length && before(items[left]!, items[least]!)) least = left
      if (left + 1 < items.length && before(items[left + 1]!, items[least]!)) least = left + 1
      if (least === i) return top
      swap(items, i, least)
      i = least
    }
  }
}

const before = (a: Timer, b: Timer): boolean => a.at < b.at || (a.at === b.at && a.seq < b.seq)

function swap(items: Timer[], i: number, j: number): void {
  const held = items[i]!
  items[i] = items[j]!
  items[j] = held
}
