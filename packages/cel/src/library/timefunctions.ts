import { type CelValue, type Duration, failure, type Timestamp } from '../value/celvalue.ts'
import { type CivilTime, clockAt, clockIn } from '../value/parsetimestamp.ts'
import { type Overload, overload } from './overload.ts'

/** A part of the clock, in UTC or in the zone named. */
function part(fn: string, id: string, of: (c: CivilTime) => number): Overload[] {
  return [
    overload(`timestamp_to_${id}`, `timestamp.${fn}(): int`, (t: Timestamp) => BigInt(of(clockAt(t)))),
    overload(
      `timestamp_to_${id}_with_tz`,
      `timestamp.${fn}(string): int`,
      (t: Timestamp, zone: string): CelValue => {
        const clock = clockIn(t, zone)
        return clock ? BigInt(of(clock)) : failure(`unknown time zone ${zone}`)
      },
    ),
  ]
}

const length = (fn: string, id: string, unit: bigint): Overload =>
  overload(`duration_to_${id}`, `duration.${fn}(): int`, (d: Duration) => d.ns / unit)

/** Months and days of the month count from zero; `getDate` counts from one. */
export const timeFunctions: readonly Overload[] = [
  ...part('getFullYear', 'year', (c) => c.year),
  ...part('getMonth', 'month', (c) => c.month - 1),
  ...part('getDayOfYear', 'day_of_year', (c) => c.dayOfYear),
  ...part('getDayOfMonth', 'day_of_month', (c) => c.day - 1),
  ...part('getDate', 'day_of_month_1_based', (c) => c.day),
  ...part('getDayOfWeek', 'day_of_week', (c) => c.weekday),
  ...part('getHours', 'hours', (c) => c.hour),
  ...part('getMinutes', 'minutes', (c) => c.minute),
  ...part('getSeconds', 'seconds', (c) => c.second),
  ...part('getMilliseconds', 'milliseconds', (c) => c.millisecond),
  length('getHours', 'hours', 3_600_000_000_000n),
  length('getMinutes', 'minutes', 60_000_000_000n),
  length('getSeconds', 'seconds', 1_000_000_000n),
  length('getMilliseconds', 'milliseconds', 1_000_000n),
]
