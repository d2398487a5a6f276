/**
 * A number of clusters, or a percentage of `total`. Rounds down; a percentage that may not vanish is at least 1.
 * More than the total is the total. Input is what the CRD's pattern lets pass; anything else counts as 0.
 */
export function amountOf(value: number | string, total: number, atLeastOne: boolean): number {
  const percent = /^(\d+)%$/.exec(String(value))
  const raw = percent ? Math.floor((Number(percent[1]) * total) / 100) : Number(value)
  const least = atLeastOne && percent ? 1 : 0
  return Math.max(least, Math.min(Number.isFinite(raw) ? raw : 0, total))
}
