/** RFC 3339 with whole seconds, as Kubernetes writes instants. */
export function timestamp(epochMs: number): string {
  const days = Math.floor(epochMs / 86_400_000)
  const [year, month, day] = civil(days)
  const rest = Math.floor((epochMs - days * 86_400_000) / 1000)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}Z`
}

/** Days since 1970-01-01 to a date of the proleptic Gregorian calendar; without `Date`, which pure code must not know. */
function civil(days: number): [number, number, number] {
  const z = days + 719_468
  const era = Math.floor(z / 146_097)
  const doe = z - era * 146_097
  const yoe = Math.floor(
    (doe - Math.floor(doe / 1460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365,
  )
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100))
  const mp = Math.floor((5 * doy + 2) / 153)
  const month = mp < 10 ? mp + 3 : mp - 9
  return [yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - Math.floor((153 * mp + 2) / 5) + 1]
}

/** Milliseconds since the epoch of an RFC 3339 instant in UTC; undefined if it is none. */
export function parseTimestampMs(text: string): number | undefined {
  const m = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?Z$/.exec(text)
  if (!m) return undefined
  const [year, month, day, hour, minute, second] = m.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yoe = y - era * 400
  const doy = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const doe = yoe * 365 + Math.floor(yoe / 4) - Math.floor(yoe / 100) + doy
  return ((era * 146_097 + doe - 719_468) * 86_400 + hour * 3600 + minute * 60 + second) * 1000
}
