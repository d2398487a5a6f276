/**
 * A quantity of Kubernetes as the API server keeps it: `unscaled × 10^scale`. Those too long for its fast form are
 * decimals, which count as no integers however whole they are.
 */
export interface Quantity {
  readonly unscaled: bigint
  readonly scale: number
  readonly decimal: boolean
}

export const WRONG_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const WRONG_SUFFIX = "unable to parse quantity's suffix"
const MOST_DIGITS = 18
const NANO = -9
const MAX_INT = 2n ** 63n - 1n

/** Powers of ten by their suffix (apimachinery `suffix.go`). */
export const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const BINARY: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }

export function parseQuantity(text: string): Quantity | { readonly complaint: string } {
  if (text === '0') return { unscaled: 0n, scale: 0, decimal: false }
  const m = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text)
  if (!m || (m[2] === '' && (m[3] ?? '') === '')) return { complaint: WRONG_FORMAT }
  const suffix = suffixOf(m[4]!)
  if (!suffix) return { complaint: WRONG_SUFFIX }
  const whole = m[2]!.replace(/^0+/, '')
  const fraction = m[3] ?? ''
  const sign = m[1] === '-' ? -1n : 1n
  const digits = BigInt(`${whole}${fraction}` || '0')
  return suffix.base === 10
    ? decimal(sign * digits, suffix.exponent - fraction.length, whole.length + fraction.length)
    : binary(sign * digits, suffix.exponent, whole, fraction)
}

function suffixOf(text: string): { readonly base: 2 | 10; readonly exponent: number } | undefined {
  const shift = BINARY[text]
  if (shift !== undefined) return { base: 2, exponent: shift }
  const power = DECIMAL[text]
  if (power !== undefined) return { base: 10, exponent: power }
  const scientific = /^[eE]([-+]?\d+)$/.exec(text)
  const exponent = scientific ? Number(scientific[1]) : Number.NaN
  return Math.abs(exponent) < 2 ** 31 ? { base: 10, exponent } : undefined
}

function decimal(unscaled: bigint, scale: number, digits: number): Quantity {
  return digits <= MOST_DIGITS && scale >= NANO
    ? { unscaled, scale, decimal: false }
    : rounded(unscaled, scale)
}

function binary(unscaled: bigint, shift: number, whole: string, fraction: string): Quantity {
  const value = unscaled * 2n ** BigInt(shift)
  const fast = fraction === '' && 15 - whole.length - Math.trunc((shift * 3) / 10) - 1 >= 0
  if (fast && magnitude(value) <= MAX_INT) return { unscaled: value, scale: 0, decimal: false }
  const kept = rounded(value, -fraction.length)
  return compareQuantities(kept, { unscaled: MAX_INT, scale: 0, decimal: true }) > 0
    ? { ...kept, unscaled: MAX_INT, scale: 0 }
    : kept
}

const magnitude = (v: bigint): bigint => (v < 0n ? -v : v)

/** Nothing is smaller than a nano: what is becomes one. */
function rounded(unscaled: bigint, scale: number): Quantity {
  if (scale >= NANO) return { unscaled, scale, decimal: true }
  const by = NANO - scale
  if (by > 1_000)
    return { unscaled: unscaled === 0n ? 0n : unscaled < 0n ? -1n : 1n, scale: NANO, decimal: true }
  const unit = 10n ** BigInt(by)
  const up = (magnitude(unscaled) + unit - 1n) / unit
  return { unscaled: unscaled < 0n ? -up : up, scale: NANO, decimal: true }
}

/** Both at the smaller scale. Exponents far apart are compared by their size alone, without the digits between. */
function aligned(a: Quantity, b: Quantity): readonly [bigint, bigint, number] {
  const scale = Math.min(a.scale, b.scale)
  const at = (q: Quantity): bigint =>
    q.unscaled === 0n ? 0n : q.unscaled * 10n ** BigInt(Math.min(q.scale - scale, 10_000))
  return [at(a), at(b), scale]
}

export function compareQuantities(a: Quantity, b: Quantity): number {
  const [x, y] = aligned(a, b)
  return x < y ? -1 : x > y ? 1 : 0
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const [x, y, scale] = aligned(a, b)
  const unscaled = x + y
  return { unscaled, scale, decimal: a.decimal || b.decimal || magnitude(unscaled) > MAX_INT }
}

/** The integer it is, unless the API server does not see that it is one. */
export function wholeQuantity(q: Quantity): bigint | undefined {
  if (q.decimal || q.scale < 0 || (q.scale > MOST_DIGITS && q.unscaled !== 0n)) return undefined
  const value = q.unscaled * 10n ** BigInt(Math.min(q.scale, MOST_DIGITS))
  return magnitude(value) <= MAX_INT ? value : undefined
}

export const approximateQuantity = (q: Quantity): number =>
  q.scale === 0 ? Number(q.unscaled) : Number(q.unscaled) * 10 ** q.scale
