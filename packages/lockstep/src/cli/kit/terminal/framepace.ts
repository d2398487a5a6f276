/** Not more often than the eye can follow. */
import type { Cancel, Clock } from '@lockstep/kube/env'

export const FRAME_MS = 100

export interface FramePace {
  /** Calls `draw` soon: at once if it has rested for long enough, else when it has. */
  ask(): void
  stop(): void
}

/** However often it is asked, `draw` runs at most once in `everyMs`, and always after the last time it was asked. */
export function createFramePace(clock: Clock, everyMs: number, draw: () => void): FramePace {
  let pending: Cancel | undefined
  let free = clock.steady()
  return {
    ask() {
      pending ??= clock.at(Math.max(clock.steady(), free), () => {
        pending = undefined
        free = clock.steady() + everyMs
        draw()
      })
    },
    stop: () => pending?.(),
  }
}
