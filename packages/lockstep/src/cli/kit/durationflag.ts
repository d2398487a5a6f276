/** Durations as people write them. */
import type { Result } from '@lockstep/kube/env'
import { type CliFailure, failed } from './clifailure.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, '': 1000 }

/** `500ms`, `30s`, `2m`; a bare number is seconds, as kubectl reads it. */
export function durationMs(text: string): number | undefined {
  const m = /^(\d+(?:\.\d+)?)(ms|s|m|h|)$/.exec(text)
  const ms = m ? Number(m[1]) * UNITS[m[2]!]! : 0
  return ms > 0 ? ms : undefined
}

/** The duration of a flag in milliseconds, or an error that names the flag. */
export function durationFlag(flag: string, text: string): Result<number, CliFailure> {
  const value = durationMs(text)
  if (value !== undefined) return { ok: true, value }
  return failed('E_USAGE', {
    problem: `--${flag} ${text}: must be a duration`,
    suggestion: 'for example: 500ms, 30s or 2m',
  })
}

/** The same, or 0: the command does not wait. */
export const durationOrZero = (flag: string, text: string): Result<number, CliFailure> =>
  /^0(ms|s|m|h|)$/.test(text) ? { ok: true, value: 0 } : durationFlag(flag, text)
