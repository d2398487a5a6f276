import type { Clock } from '../env.ts'

/** setTimeout overflows beyond this many milliseconds and fires at once. */
const MAX_TIMEOUT = 0x7fffffff

/** Each thread has a `performance.now` that begins with it; the clock of both is one. */
const BEGAN = Number(process.hrtime.bigint()) / 1e6 - performance.now()

const steady = (): number => BEGAN + performance.now()

export const nodeClock: Clock = {
  now: () => Date.now(),
  steady,
  at(steadyMs, fn) {
    let handle: NodeJS.Timeout
    const arm = () => {
      const left = steadyMs - steady()
      // Node may fire up to a millisecond early by the monotonic clock; then it is armed once more.
      handle =
        left > MAX_TIMEOUT
          ? setTimeout(arm, MAX_TIMEOUT)
          : setTimeout(() => (steady() < steadyMs ? arm() : fn()), Math.max(0, Math.ceil(left)))
    }
    arm()
    return () => clearTimeout(handle)
  },
}
