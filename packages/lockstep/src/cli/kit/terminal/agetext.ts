/** Small words for people: ages, plurals, nearest names. */
import { humanDuration, parseTimestampMs, shortDuration } from '@lockstep/kube/object'

export { editDistance, nearest } from '../../../../../kube/src/object/index.ts'

/** How long ago an instant was, as kubectl prints ages. */
export function ageText(instant: string | undefined, nowMs: number): string {
  const then = instant === undefined ? undefined : parseTimestampMs(instant)
  return then === undefined ? '<unknown>' : humanDuration(Math.max(0, nowMs - then))
}

/** `window closed (9h12m left)`: statuses have the instant at which a wait ends; printers compute the remaining duration. */
export function withRemaining(message: string, until: string | undefined, nowMs: number): string {
  const ends = until === undefined ? undefined : parseTimestampMs(until)
  return ends === undefined || ends <= nowMs ? message : `${message} (${shortDuration(ends - nowMs)} left)`
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** `a, b and c`. */
export const listText = (words: readonly string[]): string =>
  words.length <= 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`

/** Five names at most: of more the first four, and how many follow. */
export function firstOf(names: readonly string[]): string[] {
  return names.length <= 5 ? [...names] : [...names.slice(0, 4), `${names.length - 4} more`]
}
