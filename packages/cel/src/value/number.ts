import { type CelValue, failure, is, type Uint, uint } from './celvalue.ts'

const MIN_INT = -(2n ** 63n)
const MAX_INT = 2n ** 63n - 1n
const MAX_UINT = 2n ** 64n - 1n

export const fitsInt = (v: bigint): boolean => v >= MIN_INT && v <= MAX_INT
export const fitsUint = (v: bigint): boolean => v >= 0n && v <= MAX_UINT

/** The integer, or the error of leaving 64 bits. */
export const int = (v: bigint): CelValue => (fitsInt(v) ? v : failure('integer overflow'))
export const uintOf = (v: bigint): CelValue => (fitsUint(v) ? uint(v) : failure('unsigned integer overflow'))

export type Numeric = bigint | number | Uint
export const isNumeric = (v: CelValue): v is Numeric =>
  typeof v === 'bigint' || typeof v === 'number' || is(v, 'uint')

const plain = (v: Numeric): bigint | number => (typeof v === 'object' ? v.value : v)

/** −1, 0 or 1 by mathematical value; undefined where NaN takes part. */
export function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  const x = plain(a)
  const y = plain(b)
  // biome-ignore lint/suspicious/noDoubleEquals: the loose comparison is exact between bigint and number, the strict one always false
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : undefined
}

/** The whole part of a double, if it fits into the range. */
export function truncated(v: number, fits: (n: bigint) => boolean): bigint | undefined {
  if (!Number.isFinite(v)) return undefined
  const whole = BigInt(Math.trunc(v))
  return fits(whole) ? whole : undefined
}

const GO_DIGITS = 6

/** A double as Go's `strconv` writes it in format g: the shortest digits, an exponent below 1e-4 and from 1e6 on. */
export function doubleText(v: number): string {
  if (Number.isNaN(v)) return 'NaN'
  if (!Number.isFinite(v)) return v > 0 ? '+Inf' : '-Inf'
  if (v === 0) return Object.is(v, -0) ? '-0' : '0'
  const [digits, power] = v.toExponential().split('e') as [string, string]
  const e = Number(power)
  if (e >= -4 && e < GO_DIGITS) return String(v)
  return `${digits}e${e < 0 ? '-' : '+'}${String(Math.abs(e)).padStart(2, '0')}`
}
