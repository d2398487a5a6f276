import { type CelValue, failure } from '../value/celvalue.ts'
import { dataOf, opaqueValue } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'

interface SemverValue {
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly pre: readonly string[]
}

const NAMES = ['Major', 'Minor', 'Patch']

/** Parses strictly, as blang/semver does; a complaint is in its words. */
function parse(text: string): SemverValue | { readonly complaint: string } {
  if (text === '') return { complaint: 'Version string empty' }
  const parts = text.split('.')
  if (parts.length < 3) return { complaint: 'No Major.Minor.Patch elements found' }
  const last = parts.slice(2).join('.')
  const [, patch, pre, build] = /^([^-+]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(last)!
  const numbers = [parts[0]!, parts[1]!, patch!]
  for (const [i, n] of numbers.entries()) {
    const what = NAMES[i]!
    if (!/^\d+$/.test(n))
      return { complaint: `Invalid character(s) found in ${what.toLowerCase()} number ${JSON.stringify(n)}` }
    if (n.length > 1 && n.startsWith('0'))
      return { complaint: `${what} number must not contain leading zeroes ${JSON.stringify(n)}` }
    if (BigInt(n) >= 2n ** 64n)
      return { complaint: `strconv.ParseUint: parsing ${JSON.stringify(n)}: value out of range` }
  }
  const complaint = wrongSuffix(pre, build)
  if (complaint !== undefined) return { complaint }
  return {
    numbers: numbers.map(BigInt) as unknown as SemverValue['numbers'],
    pre: pre === undefined ? [] : pre.split('.'),
  }
}

function wrongSuffix(pre: string | undefined, build: string | undefined): string | undefined {
  for (const id of pre?.split('.') ?? []) {
    if (id === '') return 'Prerelease is empty'
    if (/^\d+$/.test(id) && id.length > 1 && id.startsWith('0'))
      return `Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(id)}`
    if (!/^[0-9A-Za-z-]+$/.test(id)) return `Invalid character(s) found in prerelease ${JSON.stringify(id)}`
  }
  for (const id of build?.split('.') ?? []) {
    if (id === '') return 'Build meta data is empty'
    if (!/^[0-9A-Za-z-]+$/.test(id))
      return `Invalid character(s) found in build meta data ${JSON.stringify(id)}`
  }
  return undefined
}

/** `v1.2` and `01.2.3` made versions: no `v`, no leading zeroes, three numbers. */
function normalized(text: string): SemverValue | { readonly complaint: string } {
  const [major, minor, ...rest] = text.replace(/^v/, '').split('.')
  const parts = [
    major!,
    ...(minor === undefined ? [] : [minor]),
    ...(rest.length > 0 ? [rest.join('.')] : []),
  ]
  const trimmed = parts.map((p) => {
    const short = p.replace(/^0+/, '')
    return p.length < 2 || /^\d/.test(short) ? short || p : `0${short}`
  })
  if (trimmed.length < 3 && /[-+]/.test(trimmed.at(-1)!))
    return { complaint: 'short version cannot contain PreRelease/Build meta data' }
  while (trimmed.length < 3) trimmed.push('0')
  return parse(trimmed.join('.'))
}

function compare(a: SemverValue, b: SemverValue): number {
  for (const [i, n] of a.numbers.entries()) if (n !== b.numbers[i]) return n < b.numbers[i]! ? -1 : 1
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length)
  for (const [i, id] of a.pre.entries()) {
    const other = b.pre[i]
    if (other === undefined) return 1
    const order = compareIds(id, other)
    if (order !== 0) return order
  }
  return a.pre.length < b.pre.length ? -1 : 0
}

function compareIds(a: string, b: string): number {
  const numeric = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (numeric[0] && numeric[1]) return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function convert(text: string, normalize = false): CelValue {
  const version = (normalize ? normalized : parse)(text)
  return 'complaint' in version
    ? failure(version.complaint)
    : opaqueValue('semver', version, (a, b) => compare(a, b) === 0)
}

const valid = (text: string, normalize = false): CelValue =>
  !('complaint' in (normalize ? normalized : parse)(text))

const compared = (id: string, method: string, type: string, of: (order: number) => CelValue): Overload =>
  overload(`semver_${id}`, `semver.${method}(semver): ${type}`, (a: CelValue, b: CelValue) =>
    of(compare(dataOf(a), dataOf(b))),
  )

const number = (method: string, at: number): Overload =>
  overload(`semver_${method}`, `semver.${method}(): int`, (v: CelValue) =>
    BigInt.asIntN(64, dataOf<SemverValue>(v).numbers[at]!),
  )

export const semverFunctions: readonly Overload[] = [
  overload('string_to_semver', 'semver(string): semver', (text: string) => convert(text)),
  overload('string_bool_to_semver', 'semver(string, bool): semver', convert),
  overload('is_semver_string', 'isSemver(string): bool', (text: string) => valid(text)),
  overload('is_semver_string_bool', 'isSemver(string, bool): bool', valid),
  compared('is_greater_than', 'isGreaterThan', 'bool', (order) => order > 0),
  compared('is_less_than', 'isLessThan', 'bool', (order) => order < 0),
  compared('compare_to', 'compareTo', 'int', BigInt),
  number('major', 0),
  number('minor', 1),
  number('patch', 2),
]
