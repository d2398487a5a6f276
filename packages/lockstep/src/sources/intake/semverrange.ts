/**
 * Versions and ranges as Flux reads them (Masterminds/semver v3.4): `^1.2`, `~1.2.3`, `1.x`, `>=1.2 <1.4 || ^3`,
 * `1.2 - 1.4`. npm's ranges differ: there, prereleases and `>1` mean something else.
 */

export interface SemverVersion {
  /** As it was written. */
  readonly text: string
  readonly numbers: readonly [bigint, bigint, bigint]
  readonly prerelease: readonly string[]
}

const VERSION =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-.]+)?$/

/** Undefined: it is no version. Missing numbers are 0; a leading `v` is allowed; build metadata is not compared. */
export function parseVersion(text: string): SemverVersion | undefined {
  const m = VERSION.exec(text)
  if (!m) return undefined
  const prerelease = m[4]?.split('.') ?? []
  if (prerelease.some((p) => /^0\d+$/.test(p))) return undefined
  return { text, numbers: [BigInt(m[1]!), BigInt(m[2] ?? 0), BigInt(m[3] ?? 0)], prerelease }
}

/** Precedence of SemVer 2.0.0: below 0, 0, above 0. */
export function compareVersions(a: SemverVersion, b: SemverVersion): number {
  for (const i of [0, 1, 2] as const)
    if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] < b.numbers[i] ? -1 : 1
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length === a.prerelease.length ? 0 : a.prerelease.length === 0 ? 1 : -1
  for (const [i, x] of a.prerelease.entries()) {
    const y = b.prerelease[i]
    if (y === undefined) return 1
    if (x !== y) return comparePart(x, y)
  }
  return a.prerelease.length - b.prerelease.length
}

function comparePart(x: string, y: string): number {
  const [isX, isY] = [/^\d+$/.test(x), /^\d+$/.test(y)]
  if (isX && isY) return BigInt(x) < BigInt(y) ? -1 : 1
  // Numbers are below words.
  if (isX !== isY) return isX ? -1 : 1
  return x < y ? -1 : 1
}

type RangeOperator = '=' | '!=' | '>' | '<' | '>=' | '<=' | '~' | '^'

interface RangeTerm {
  readonly operator: RangeOperator
  readonly version: SemverVersion
  /** What was left out or is a wildcard. */
  readonly open: 'nothing' | 'all' | 'minor' | 'patch'
}

export interface SemverRange {
  includes(v: SemverVersion): boolean
}

const TERM =
  /^(=<|=>|=|!=|>=|<=|>|<|~>|~|\^)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-.]+)?$/
/** A term with its operator, which may stand apart from its version. */
const SPLIT = /(?:=<|=>|=|!=|>=|<=|>|<|~>|~|\^)?\s*[^\s,]+/g
const HYPHEN = /(\S+)\s+-\s+(\S+)/g
const OPERATORS: Readonly<Record<string, RangeOperator>> = { '=<': '<=', '=>': '>=', '~>': '~' }

/** Undefined: it is no range. */
export function parseSemverRange(text: string): SemverRange | undefined {
  const groups: RangeTerm[][] = []
  for (const part of text.split('||')) {
    const terms = (part.replace(HYPHEN, '>=$1 <=$2').match(SPLIT) ?? []).map((t) => termOf(t.trim()))
    if (terms.length === 0 || terms.some((t) => t === undefined)) return undefined
    groups.push(terms as RangeTerm[])
  }
  return { includes: (v) => groups.some((terms) => isMeant(terms, v) && terms.every((t) => holds(t, v))) }
}

/** A prerelease is meant only where one of the terms names one. */
const isMeant = (terms: readonly RangeTerm[], v: SemverVersion): boolean =>
  v.prerelease.length === 0 || terms.some((t) => t.version.prerelease.length > 0)

const isWild = (part: string | undefined): boolean => part === undefined || /^[xX*]$/.test(part)

function termOf(text: string): RangeTerm | undefined {
  const m = TERM.exec(text)
  if (!m) return undefined
  const [, sign, major, minor, patch, pre] = m
  const open = isWild(major) ? 'all' : isWild(minor) ? 'minor' : isWild(patch) ? 'patch' : 'nothing'
  const number = (part: string | undefined, isCut: boolean): string => (isCut || isWild(part) ? '0' : part!)
  const version = parseVersion(
    `${number(major, false)}.${number(minor, open === 'all')}.${number(patch, open !== 'nothing')}${pre ?? ''}`,
  )
  return version && { operator: OPERATORS[sign ?? '='] ?? ((sign ?? '=') as RangeOperator), version, open }
}

function holds(t: RangeTerm, v: SemverVersion): boolean {
  const order = compareVersions(v, t.version)
  switch (t.operator) {
    case '=':
      return t.open === 'nothing' ? order === 0 : isTilde(t, v, order)
    case '!=':
      return t.open === 'nothing' ? order !== 0 : !isTilde(t, v, order)
    case '>':
      return isAbove(t, v, order)
    case '>=':
      return order >= 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0 || (t.open !== 'nothing' && isTilde(t, v, order))
    case '~':
      return isTilde(t, v, order)
    case '^':
      return isCaret(t, v, order)
  }
}

/** `>1` begins at 2, `>1.2` at 1.3. */
function isAbove(t: RangeTerm, v: SemverVersion, order: number): boolean {
  const [a, b] = [v.numbers, t.version.numbers]
  if (t.open === 'nothing' || a[0] !== b[0]) return t.open === 'nothing' ? order > 0 : a[0] > b[0]
  return t.open === 'patch' && a[1] > b[1]
}

function isTilde(t: RangeTerm, v: SemverVersion, order: number): boolean {
  const [a, b] = [v.numbers, t.version.numbers]
  if (order < 0) return false
  // `~0.0.0` is taken for a wildcard there, so it is one here.
  const isZero = t.open === 'nothing' && b.every((n) => n === 0n)
  if (t.open === 'all' || (isZero && t.operator === '~')) return true
  return a[0] === b[0] && (t.open === 'minor' || a[1] === b[1])
}

/** The leftmost number that is not 0 stays. */
function isCaret(t: RangeTerm, v: SemverVersion, order: number): boolean {
  const [a, b] = [v.numbers, t.version.numbers]
  if (order < 0) return false
  if (t.open === 'all') return true
  if (a[0] !== b[0]) return false
  if (b[0] > 0n || t.open === 'minor') return true
  if (a[1] !== b[1]) return false
  return b[1] > 0n || t.open === 'patch' || a[2] === b[2]
}
