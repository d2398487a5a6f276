import { civil, daysFrom } from '@lockstep/kube/object'
import { type CelValue, failure, type Timestamp } from './celvalue.ts'

const NS_PER_MS = 1_000_000n
const NS_PER_S = 1_000_000_000n
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** From the year 1 to the year 9999. */
const MIN_S = -62_135_596_800n
const MAX_S = 253_402_300_799n
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([-+])(\d\d):(\d\d))$/

export function timestamp(ns: bigint, offset = 0): CelValue {
  const seconds = ns >= 0n ? ns / NS_PER_S : (ns - NS_PER_S + 1n) / NS_PER_S
  return seconds < MIN_S || seconds > MAX_S
    ? failure('timestamp overflow')
    : { kind: 'timestamp', ns, offset }
}

/** A moment as a clock on the wall and a calendar beside it show it. Months count from one, weekdays from Sunday as zero. */
export interface CivilTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly dayOfYear: number
  readonly weekday: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
}

/** A date and time as RFC 3339 writes it, with days that exist. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const m = RFC3339.exec(text)
  if (!m) return undefined
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second,
    fraction = '',
    sign,
    offsetHour = '0',
    offsetMinute = '0',
  ] = m
  const date = dateMs(Number(year), Number(month), Number(day))
  if (date === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (Number(offsetHour) > 24 || Number(offsetMinute) > 59) return undefined
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute))
  const local = date + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
  const ns = BigInt(local - offset * MINUTE_MS) * NS_PER_MS + BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  return { kind: 'timestamp', ns, offset }
}

/** `2024-02-29`, at its first moment. */
export function parseDate(text: string): Timestamp | undefined {
  const m = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  const ms = m ? dateMs(Number(m[1]), Number(m[2]), Number(m[3])) : undefined
  return ms === undefined ? undefined : { kind: 'timestamp', ns: BigInt(ms) * NS_PER_MS, offset: 0 }
}

function dateMs(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1) return undefined
  const days = daysFrom(year, month, day)
  return civil(days).day === day ? days * DAY_MS : undefined
}

const milliseconds = (t: Timestamp): number => Number((t.ns - modulo(t.ns, NS_PER_MS)) / NS_PER_MS)
const modulo = (a: bigint, n: bigint): bigint => ((a % n) + n) % n

/** The clock of a zone that shows UTC plus so many minutes. */
export function clockAt(t: Timestamp, offset = 0): CivilTime {
  const ms = milliseconds(t) + offset * MINUTE_MS
  const days = Math.floor(ms / DAY_MS)
  const rest = ms - days * DAY_MS
  const date = civil(days)
  return {
    ...date,
    dayOfYear: days - daysFrom(date.year, 1, 1),
    // The epoch was a Thursday.
    weekday: (((days + 4) % 7) + 7) % 7,
    hour: Math.floor(rest / 3_600_000),
    minute: Math.floor(rest / MINUTE_MS) % 60,
    second: Math.floor(rest / 1000) % 60,
    millisecond: rest % 1000,
  }
}

const padded = (n: number, width = 2): string => String(n).padStart(width, '0')

/** As RFC 3339 with the offset it was written with, and as many digits of a second as it needs. */
export function timestampText(t: Timestamp): string {
  const c = clockAt(t, t.offset)
  const fraction = modulo(t.ns, NS_PER_S).toString().padStart(9, '0').replace(/0+$/, '')
  const date = `${padded(c.year, 4)}-${padded(c.month)}-${padded(c.day)}`
  const time = `${padded(c.hour)}:${padded(c.minute)}:${padded(c.second)}`
  return `${date}T${time}${fraction === '' ? '' : `.${fraction}`}${offsetText(t.offset)}`
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.abs(offset)
  return `${offset < 0 ? '-' : '+'}${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}`
}

/** The clock of a zone: `UTC`, `+02:00`, or a name such as `Asia/Tokyo`; undefined where there is no such zone. */
export function clockIn(t: Timestamp, zone: string): CivilTime | undefined {
  if (zone === '' || zone === 'UTC') return clockAt(t)
  const fixed = /^([-+]?)(\d\d):(\d\d)$/.exec(zone)
  if (fixed) {
    const minutes = Number(fixed[2]) * 60 + Number(fixed[3])
    return clockAt(t, fixed[1] === '-' ? -minutes : minutes)
  }
  const offset = offsetOf(milliseconds(t), zone)
  return offset === undefined ? undefined : clockAt(t, offset)
}

/** How many minutes a named zone is ahead of UTC at a moment. */
function offsetOf(ms: number, zone: string): number | undefined {
  const numeric = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const
  try {
    const format = new Intl.DateTimeFormat('en-US', { ...numeric, timeZone: zone, hourCycle: 'h23' })
    const parts = new Map(format.formatToParts(ms).map((p) => [p.type, Number(p.value)]))
    const days = daysFrom(parts.get('year')!, parts.get('month')!, parts.get('day')!)
    const local = days * DAY_MS + (parts.get('hour')! * 60 + parts.get('minute')!) * MINUTE_MS
    return Math.round((local - Math.floor(ms / MINUTE_MS) * MINUTE_MS) / MINUTE_MS)
  } catch {
    return undefined
  }
}
