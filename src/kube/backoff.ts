import type { Random } from '../env/env.ts'

/** Milliseconds before try number `failures` + 1: 1 s · 2ⁿ, at most 60 s, ± 20 % so that many do not come at once. */
export function backoffMs(failures: number, random: Random): number {
  const base = Math.min(60_000, 1000 * 2 ** Math.min(failures, 6))
  return Math.round(base * (0.8 + 0.4 * random.next()))
}
