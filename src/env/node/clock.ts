import type { Clock } from '../env.ts'

/** setTimeout overflows beyond this many milliseconds and fires at once. */
const MAX_TIMEOUT = 0x7fffffff

export const nodeClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  at(steadyMs, fn) {
    let handle: NodeJS.Timeout
    const arm = () => {
      const left = steadyMs - performance.now()
      // Node may fire up to a millisecond early by the monotonic clock; then it is armed once more.
      handle =
        left > MAX_TIMEOUT
          ? setTimeout(arm, MAX_TIMEOUT)
          : setTimeout(() => (performance.now() < steadyMs ? arm() : fn()), Math.max(0, Math.ceil(left)))
    }
    arm()
    return () => clearTimeout(handle)
  },
}
