import type { Amount } from '../policy.ts'

/**
 * A number of clusters, or a percentage of `total`. Rounds down; a percentage that may not vanish is at least 1.
 * More than the total is the total. Input is what the CRD's pattern lets pass; anything else counts as 0.
 */
export function amountOf(value: Amount, total: number, atLeastOne: boolean): number {
  const { raw, isPercent } = parsed(value, total)
  const least = atLeastOne && isPercent ? 1 : 0
  return Math.max(least, Math.min(Math.floor(raw), total))
}

/** The same, rounded up: for what is allowed on top. */
export const amountAbove = (value: Amount, total: number): number =>
  Math.max(0, Math.min(Math.ceil(parsed(value, total).raw), total))

function parsed(value: Amount, total: number): { raw: number; isPercent: boolean } {
  const percent = /^(\d+)%$/.exec(String(value))
  const raw = percent ? (Number(percent[1]) * total) / 100 : Number(value)
  return { raw: Number.isFinite(raw) ? raw : 0, isPercent: percent !== null }
}
