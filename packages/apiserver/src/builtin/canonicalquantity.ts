import { DECIMAL, parseQuantity } from '@lockstep/cel/library'

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const
const SUFFIX = new Map(Object.entries(DECIMAL).map(([s, e]) => [e, s]))
const NANO = 9
const MOST_EXPONENT = 60
const K = 1024n
const ONE = 10n ** 9n

/**
 * A quantity in the form in which Kubernetes keeps it: `0.5` is `500m`, `1024Mi` is `1Gi`, `1000m` is `1`
 * (apimachinery pkg/api/resource). Undefined for what is no quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const q = parseQuantity(text)
  if ('complaint' in q || q.scale > MOST_EXPONENT) return undefined
  const nano = q.unscaled * 10n ** BigInt(q.scale + NANO)
  if (text.endsWith('i')) return binary(nano) ?? decimal(nano, false)
  return decimal(nano, /[eE][+-]?\d+$/.test(text))
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
