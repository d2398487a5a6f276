/** Instants that a schedule means in some place. Asks no clock: the same question has the same answer. */
import { Cron } from 'croner'
import { err, ok, type Result } from './result.ts'

export interface Calendar {
  /** Five fields of cron in the local time of an IANA zone; or what is wrong with them. */
  schedule(cron: string, timeZone: string): Result<Occurrences, string>
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
}
