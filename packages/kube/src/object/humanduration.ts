/** A duration as kubectl prints ages (apimachinery pkg/util/duration HumanDuration). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(seconds / 3600)
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return two(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  if (years < 8) return two(years, 'y', days % 365, 'd')
  return `${years}y`
}

const two = (a: number, unitA: string, b: number, unitB: string): string =>
  b === 0 ? `${a}${unitA}` : `${a}${unitA}${b}${unitB}`
