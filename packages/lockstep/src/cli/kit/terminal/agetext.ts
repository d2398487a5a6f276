/** Small words for people: ages, plurals, nearest names. */
import { humanDuration, parseTimestampMs, shortDuration } from '@lockstep/kube/object'

export { editDistance, nearest } from '../../../../../kube/src/object/index.ts'

/** How long ago an instant was, as kubectl prints ages. */
export function ageText(instant: string | undefined, nowMs: number): string {
  const then = instant === undefined ? undefined : parseTimestampMs(instant)
  return then === undefined ? '<unknown>' : humanDuration(Math.max(0, nowMs - then))
}

/** Messages about windows have the instant at which they open, which stays true; readers compute the remaining duration. */
export const withRemaining = (message: string, nowMs: number): string =>
  message.replace(/\bopens ([^\s;]+)/, (said, instant: string) => {
    const opens = parseTimestampMs(instant)
    return opens === undefined || opens <= nowMs ? said : `${said} (in ${shortDuration(opens - nowMs)})`
  })

export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** `a, b and c`. */
export const listText = (words: readonly string[]): string =>
  words.length <= 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`
