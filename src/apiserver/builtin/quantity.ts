import { DECIMAL } from '../../core/cel/library/quantity.ts'

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
const SUFFIX = new Map(Object.entries(DECIMAL).map(([s, e]) => [e, s]))
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/
const NANO = 9
const K = 1024n
const ONE = 10n ** 9n

/**
 * A quantity in the form in which Kubernetes keeps it: `0.5` is `500m`, `1024Mi` is `1Gi`, `1000m` is `1`
 * (apimachinery pkg/api/resource). Undefined for what is no quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const m = FORM.exec(text)
  if (!m || (m[2] === '' && (m[3] ?? '') === '')) return undefined
  const [, sign = '', whole = '', fraction = '', suffix = ''] = m
  const power = BINARY.indexOf(suffix as (typeof BINARY)[number]) + 1
  const exponent = power > 0 ? 0 : exponentOf(suffix)
  if (Math.abs(exponent) > 60) return undefined
  const scaled = scale(BigInt(whole + fraction), exponent - fraction.length + NANO, K ** BigInt(power))
  const value = sign === '-' ? -scaled : scaled
  if (power > 0) return binary(value) ?? decimal(value, false)
  return decimal(value, /^[eE][+-]?\d/.test(suffix))
}

const exponentOf = (suffix: string): number =>
  Object.hasOwn(DECIMAL, suffix) ? DECIMAL[suffix]! : Number(suffix.slice(1))

/** digits × 10^e × factor in nanos; what is finer is rounded up. */
function scale(digits: bigint, e: number, factor: bigint): bigint {
  if (e >= 0) return digits * factor * 10n ** BigInt(e)
  const by = 10n ** BigInt(-e)
  return (digits * factor + by - 1n) / by
}

/** Powers of 1024; small and broken values are written in decimal. */
function binary(nano: bigint): string | undefined {
  const abs = nano < 0n ? -nano : nano
  if (abs % ONE !== 0n || abs < K * ONE) return undefined
  let n = nano / ONE
  let power = 0
  for (; power < BINARY.length && n % K === 0n; power++) n /= K
  return `${n}${power === 0 ? '' : BINARY[power - 1]}`
}

/** The largest power of 1000 that leaves a whole number. */
function decimal(nano: bigint, asExponent: boolean): string {
  if (nano === 0n) return '0'
  let n = nano
  let e = -NANO
  for (; e < 18 && n % 1000n === 0n; e += 3) n /= 1000n
  if (asExponent) return e === 0 ? String(n) : `${n}e${e}`
  return `${n}${SUFFIX.get(e) ?? ''}`
}
