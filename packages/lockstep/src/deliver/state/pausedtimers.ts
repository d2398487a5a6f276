/**
 * While nothing may be written to a unit, because somebody holds it or its cluster is paused, nobody puts right what is not
 * well there: that time counts neither towards `health.timeoutSeconds` nor towards `degradedSeconds`.
 */
import type { UnitMemory } from './unitmemory.ts'

/** From now on nothing may be written. Steady milliseconds, as all times of a memory. */
export function pauseTimers(memory: UnitMemory, steady: number): void {
  memory.stillSince ??= steady
}

/** It may be written to again: what is waited for is waited for as long as before. */
export function resumePausedTimers(memory: UnitMemory, steady: number): void {
  const { stillSince, waits, checks } = memory
  if (stillSince === undefined) return
  memory.stillSince = undefined
  const ms = steady - stillSince
  for (const times of [memory.since, memory.degradedSince])
    for (const [id, at] of times) times.set(id, at + ms)
  if (waits) memory.waits = { ...waits, since: new Map([...waits.since].map(([id, at]) => [id, at + ms])) }
  if (!checks) return
  const later = ({ unhealthySince, degradedSince, ...rest }: (typeof checks.times)[number]) => ({
    ...rest,
    ...(unhealthySince === undefined ? {} : { unhealthySince: unhealthySince + ms }),
    ...(degradedSince === undefined ? {} : { degradedSince: degradedSince + ms }),
  })
  memory.checks = { ...checks, times: checks.times.map(later) }
}
