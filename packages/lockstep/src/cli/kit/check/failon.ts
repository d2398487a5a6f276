/** `--fail-on`: findings of which levels end a check with 1. */
import type { FindingLevel } from './findinglines.ts'

export const FAIL_ON = ['error', 'warning', 'note', 'never'] as const

/** Absent: errors. */
export function countsAs(failOn: string = 'error'): (level: FindingLevel) => boolean {
  const counted: readonly string[] = FAIL_ON.slice(
    0,
    failOn === 'never' ? 0 : FAIL_ON.indexOf(failOn as 'error') + 1,
  )
  return (level) => counted.includes(level)
}
