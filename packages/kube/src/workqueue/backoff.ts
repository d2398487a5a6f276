import type { Random } from '../env/env.ts'

const MOST_MS = 60_000

/** Milliseconds before try number `failures` + 1: 1 s · 2ⁿ, at most `most`, ± 20 % so that many do not come at once. */
export function backoffMs(failures: number, random: Random, most = MOST_MS): number {
  const base = Math.min(most, 1000 * 2 ** Math.min(failures, 20))
  return Math.round(base * (0.8 + 0.4 * random.next()))
}
