const DAY = 86_400_000
const pad = (n: number, width = 2): string => String(n).padStart(width, '0')

/** RFC 3339 in UTC, whole seconds: `2026-01-31T12:00:00Z`. */
export function timestamp(ms: number): string {
  const days = Math.floor(ms / DAY)
  const seconds = Math.floor((ms - days * DAY) / 1000)
  const { year, month, day } = civil(days)
  const clock = `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${clock}Z`
}

/** The same with milliseconds: `2026-01-31T12:00:00.250Z`. */
export const preciseTimestamp = (ms: number): string =>
  timestamp(ms).replace('Z', `.${pad(Math.floor(((ms % 1000) + 1000) % 1000), 3)}Z`)

/** As Kubernetes reads a MicroTime: six digits, neither more nor fewer (apimachinery `micro_time.go`). */
export const microTimestamp = (ms: number): string => preciseTimestamp(ms).replace('Z', '000Z')

/** Milliseconds since the epoch of an RFC 3339 time; undefined if it is none. */
export function parseTimestampMs(text: string): number | undefined {
  const m = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.exec(text)
  if (!m) return undefined
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const zone = m[8]!
  const offset =
    zone === 'Z' || zone === 'z'
      ? 0
      : (zone[0] === '-' ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)))
  const seconds = hour * 3600 + (minute - offset) * 60 + second
  return daysFrom(year, month, day) * DAY + seconds * 1000 + Math.floor(Number(m[7] ?? 0) * 1000)
}

const WEEK = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** As servers say in the header `Date` what time it is (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. Rounded down. */
export function httpDate(ms: number): string {
  const days = Math.floor(ms / DAY)
  const { year, month, day } = civil(days)
  const clock = timestamp(ms).slice(11, 19)
  return `${WEEK[((days % 7) + 7) % 7]}, ${pad(day)} ${MONTHS[month - 1]} ${pad(year, 4)} ${clock} GMT`
}

/** Milliseconds since the epoch of such a time; undefined if it is none. Older forms, which no server may send, are none. */
export function parseHttpDateMs(text: string): number | undefined {
  const m = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/.exec(text)
  return m ? utcMs(m[3]!, m[2]!, m[1]!, m[4]!) : undefined
}

/** The same of a time as OpenSSL prints that of a certificate (`ASN1_TIME_print`): `Sep  3 21:40:37 2026 GMT`. */
export function parseCertificateTimeMs(text: string): number | undefined {
  const m = /^([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4}) GMT$/.exec(text)
  return m ? utcMs(m[4]!, m[1]!, m[2]!.replace(' ', '0'), m[3]!) : undefined
}

/** Undefined: the month is unknown. */
function utcMs(year: string, monthName: string, day: string, time: string): number | undefined {
  const month = MONTHS.indexOf(monthName) + 1
  return month > 0 ? parseTimestampMs(`${year}-${pad(month)}-${day}T${time}Z`) : undefined
}

/** Days since the epoch as a date of the proleptic Gregorian calendar; years are counted from March. */
export function civil(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const dayOfEra = z - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  }
}

/** Days since the epoch until a date. */
export function daysFrom(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  )
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** For people, in two parts at most: `9h12m`, `41m`, `90s`. Rounded down. */
export function shortDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h${minutes % 60}m`
}

/** Milliseconds of a duration as Go writes it (`1h30m`, `0.5s`); undefined: it is none. */
export function parseDuration(text: string): number | undefined {
  if (!/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/([0-9.]+)(ms|s|m|h)/g)) ms += Number(amount) * UNIT_MS[unit!]!
  return ms
}
