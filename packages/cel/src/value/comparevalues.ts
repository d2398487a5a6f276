import { type CelValue, is } from './celvalue.ts'
import { compareNumbers, isNumeric } from './number.ts'

/** −1, 0 or 1; undefined where the two have no order, such as a number and a string, or NaN. */
export function compareValues(a: CelValue, b: CelValue): number | undefined {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b)
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  if (is(a, 'timestamp') && is(b, 'timestamp')) return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0
  if (is(a, 'duration') && is(b, 'duration')) return a.ns < b.ns ? -1 : a.ns > b.ns ? 1 : 0
  return undefined
}

/** By code points, which is the order of their UTF-8; JavaScript's own order differs where surrogates take part. */
function compareTexts(a: string, b: string): number {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) < rank(y) ? -1 : 1
  }
  return Math.sign(a.length - b.length)
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1
  return Math.sign(a.length - b.length)
}
