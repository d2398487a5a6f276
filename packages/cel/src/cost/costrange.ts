/** From the least to the most that something costs, or is large. Never beyond 64 bits: more is as much as there is. */
export interface CostRange {
  readonly min: bigint
  readonly max: bigint
}

export const MOST = 2n ** 64n - 1n
export const UNKNOWN: CostRange = { min: 0n, max: MOST }
export const ZERO: CostRange = { min: 0n, max: 0n }
export const ONE: CostRange = { min: 1n, max: 1n }

const capped = (v: bigint): bigint => (v > MOST ? MOST : v)

export const fixed = (n: bigint): CostRange => ({ min: n, max: n })
export const plus = (a: CostRange, b: CostRange): CostRange => ({
  min: capped(a.min + b.min),
  max: capped(a.max + b.max),
})
export const times = (a: CostRange, b: CostRange): CostRange => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
})

/** Multiplied by a fraction and rounded up, with the precision of a double as the API server does it. */
export const scaled = (a: CostRange, factor: number): CostRange => ({
  min: scale(a.min, factor),
  max: scale(a.max, factor),
})

function scale(v: bigint, factor: number): bigint {
  return capped(BigInt(Math.ceil(Number(v) * factor)))
}

/** Both, with what is between them. */
export function union(a: CostRange, b: CostRange): CostRange {
  return { min: smaller(a.min, b.min), max: a.max === smaller(a.max, b.max) ? b.max : a.max }
}

export function smaller(a: bigint, b: bigint): bigint {
  if (a <= b) return a
  return b
}
