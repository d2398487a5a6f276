/** Instants that a schedule means in some place. Asks no clock: the same question has the same answer. */
import { Cron } from 'croner'
import { err, ok, type Result } from './result.ts'

export interface Calendar {
  /** Five fields of cron in the local time of an IANA zone; or what is wrong with them. */
  schedule(cron: string, timeZone: string): Result<Occurrences, string>
  /** An instant as clocks show it there, with what they differ from UTC by: `2026-11-24T22:00:00+01:00`. */
  local(ms: number, timeZone: string): string
}

export interface Occurrences {
  /** The first one after an instant, in milliseconds since the epoch; undefined: there is none any more. */
  after(ms: number): number | undefined
}

/**
 * By croner. A local time that daylight saving skips is the first instant after it; one that comes twice is the first of
 * the two.
 */
export const cronCalendar: Calendar = {
  schedule(text, timeZone) {
    try {
      const cron = new Cron(text, { timezone: timeZone, mode: '5-part', paused: true })
      // What a zone is is looked at when it is needed.
      cron.nextRun(new Date(0))
      return ok({ after: (ms) => cron.nextRun(new Date(ms))?.getTime() })
    } catch (e) {
      return err((e as Error).message.replace(/^Cron(Pattern|Date): /, ''))
    }
  },
  local(ms, timeZone) {
    const offset = offsetMinutes(ms, timeZone)
    const shown = new Date(ms + offset * 60_000).toISOString().replace(/\.\d+Z$/, 'Z')
    return offset === 0 ? shown : shown.replace('Z', offsetText(offset))
  },
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** By `GMT+01:00`, as it is called; `GMT` is no difference. */
function offsetMinutes(ms: number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
    formats.set(timeZone, format)
  }
  const name = format.formatToParts(ms).find((p) => p.type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function offsetText(minutes: number): string {
  const pad = (n: number): string => String(n).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}
