/** Versions of Node that get no fixes any more. */
import { parseTimestampMs } from '@lockstep/kube/object'

/** Last days of supported major versions, of the schedule of nodejs/Release. */
const ENDS: Readonly<Record<string, string>> = { 20: '2026-04-30' }

/** A text for people once that day has come. `version`: `20.20.0`; `now`: milliseconds since 1970. */
export function nodeEndOfLife(version: string, now: number): string | undefined {
  const major = version.split('.')[0]!
  const day = ENDS[major]
  if (day === undefined || now < parseTimestampMs(`${day}T00:00:00Z`)!) return undefined
  return `Node ${major} reached its end of life on ${day}; use Node 22 or newer`
}
