const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** Seconds since 1970 of an RFC 3339 time; 0 if there is none, as Kubernetes sorts owners without a time first. */
export function secondsOf(time: string | undefined | null): number {
  const m = time ? RFC3339.exec(time) : null
  if (!m) return 0
  const [year, month, day, hour, minute, second] = m.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const offset = m[7] ? (m[7] === '-' ? -1 : 1) * (Number(m[8]) * 3600 + Number(m[9]) * 60) : 0
  return daysBefore(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
}

/** Days from 1970-01-01, counted in years that begin in March, so that the leap day is the last one. */
function daysBefore(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}
