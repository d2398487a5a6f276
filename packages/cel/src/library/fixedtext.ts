const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** A double with so many digits behind the point, its thousands apart: the American way, which the API server fixes. */
export function fixedText(v: number, precision: number): string {
  if (Number.isNaN(v)) return 'NaN'
  if (!Number.isFinite(v)) return v < 0 ? '-∞' : '∞'
  const [whole, fraction] = plain(v, precision).split('.') as [string, string?]
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** `toFixed` gives up at 1e21, from where on doubles are whole, and at 100 digits, which is more than there are. */
function plain(v: number, precision: number): string {
  const digits = Math.min(precision, 100)
  if (Math.abs(v) < 1e21) return toEven(v.toFixed(digits), v.toFixed(100), digits)
  return digits === 0 ? BigInt(v).toString() : `${BigInt(v)}.${'0'.repeat(digits)}`
}

const DIGITS = 6

/** `1.234500×10⁰³`. The API server takes what should be the precision for the width, and so do we. */
export function scientificText(v: number, width: number): string {
  if (Number.isNaN(v)) return 'NaN'.padStart(width)
  if (!Number.isFinite(v)) return (v < 0 ? '-∞' : '∞').padStart(width)
  const [near, power] = v.toExponential(DIGITS).split('e') as [string, string]
  const digits = toEven(near, v.toExponential(100).split('e')[0]!, DIGITS)
  const exponent = String(Math.abs(Number(power))).padStart(2, '0')
  const raised = Array.from(exponent, (d) => SUPERSCRIPT[Number(d)]).join('')
  return `${digits}×10${Number(power) < 0 ? '⁻' : ''}${raised}`.padStart(width)
}

/** JavaScript rounds what is exactly in the middle up, Go to the even digit. `exact` has all digits there are. */
function toEven(rounded: string, exact: string, precision: number): string {
  const point = exact.indexOf('.')
  const beyond = exact.slice(point + 1 + precision)
  if (!/^50*$/.test(beyond) || !/[13579]$/.test(rounded)) return rounded
  return `${rounded.slice(0, -1)}${Number(rounded.at(-1)) - 1}`
}
