import { type Argument, type Estimate, type SizeOfPath, sizeOr } from './costestimator.ts'
import { ACCESS_CHECK } from './costofcalls.ts'
import { type CostRange, fixed, MOST, ONE, plus, scaled, times, union, ZERO } from './costrange.ts'

const PER_CHARACTER = 0.1
const PER_PATTERN_CHARACTER = 0.25
const LONGEST_PATTERN_OF_A_FORMAT = 128
const LONGEST_FORMAT = 64n

/** A call as its estimate sees it: a method has a target, and the arguments are without it. */
export interface Called {
  readonly id: string
  readonly target?: Argument
  readonly args: readonly Argument[]
  readonly sizes: SizeOfPath
}

type CallEstimator = (c: Called) => Estimate | undefined

const size = (c: Called, a: Argument | undefined): CostRange => sizeOr(a, c.sizes)
const nominal: CallEstimator = () => ({ cost: ONE })

/** One for each element, and the text in them; a string is traversed. */
function wholeList(c: Called): Estimate | undefined {
  const { target } = c
  if (!target) return undefined
  const item = itemOf(target)
  if (!item) return { cost: scaled(size(c, target), PER_CHARACTER) }
  const texts = ['string', 'bytes'].includes(item.type.kind)
  const each = texts ? plus(ONE, scaled(size(c, item), PER_CHARACTER)) : ONE
  return { cost: times(size(c, target), each) }
}

function itemOf({ type, path }: Argument): Argument | undefined {
  const item = type.params[0]
  return item && { type: item, path: path.length === 0 ? [] : [...path, '@items'] }
}

const sameSize =
  (of: (c: Called) => Argument | undefined): CallEstimator =>
  (c) => {
    const s = size(c, of(c))
    return { cost: scaled(s, PER_CHARACTER), size: s }
  }

const parsing =
  (factor: number): CallEstimator =>
  (c) => ({ cost: scaled(size(c, c.args[0]), factor * PER_CHARACTER) })

/** The longest result has the shortest parts replaced by the longest ones, as often as they fit. */
function replacing(c: Called): Estimate {
  const s = size(c, c.target)
  const part = size(c, c.args[0])
  const by = size(c, c.args[1])
  let [most, keptMost, least, keptLeast] = [0n, 0n, 0n, 0n]
  if (part.min === 0n) [most, keptMost] = [s.max < MOST ? s.max + 1n : MOST, s.max]
  else if (by.max <= part.min) keptMost = s.max
  else most = quotient(s.max, part.min)
  if (part.max === 0n) [least, keptLeast] = [s.min < MOST ? s.min + 1n : MOST, s.min]
  else if (part.max <= by.min) keptLeast = s.min
  else least = quotient(s.min, part.max)
  const result = plus(times({ min: least, max: most }, by), { min: keptLeast, max: keptMost })
  return { cost: scaled(s, 2 * PER_CHARACTER), size: result }
}

function quotient(a: bigint, b: bigint): bigint {
  const up = BigInt(Math.ceil(Number(a) / Number(b)))
  return up > MOST ? MOST : up
}

function splitting(c: Called): Estimate {
  const s = size(c, c.target)
  const limit = c.args[1]?.expr
  const most =
    limit?.kind === 'literal' && typeof limit.value === 'bigint' ? BigInt.asUintN(64, limit.value) : s.max
  return { cost: scaled(s, 2 * PER_CHARACTER), size: { min: 0n, max: most } }
}

function joining(c: Called): Estimate {
  const count = size(c, c.target)
  const item = c.target && itemOf(c.target)
  let result = item ? times(count, size(c, item)) : ZERO
  const gaps = { min: count.min > 0n ? count.min - 1n : 0n, max: count.max > 0n ? count.max - 1n : 0n }
  if (c.args[0]) result = plus(result, times(size(c, c.args[0]), gaps))
  return { cost: scaled(result, PER_CHARACTER), size: result }
}

function finding(c: Called): Estimate {
  const s = size(c, c.target)
  return { cost: patternCost(s, size(c, c.args[0])), size: { min: 0n, max: s.max } }
}

/** A text against a pattern: an empty one costs too. */
export function patternCost(text: CostRange, pattern: CostRange): CostRange {
  return times(scaled(plus(text, ONE), PER_CHARACTER), scaled(pattern, PER_PATTERN_CHARACTER))
}

const ADDRESS_BYTES: CostRange = { min: 4n, max: 16n }

const containment =
  (nets: boolean, ofText: string): CallEstimator =>
  (c) => {
    let cost = scaled(plus(ADDRESS_BYTES, ADDRESS_BYTES), PER_CHARACTER)
    if (nets) cost = plus(plus(cost, scaled(ADDRESS_BYTES, PER_CHARACTER)), ONE)
    return { cost: c.id === ofText ? plus(cost, scaled(size(c, c.args[0]), PER_CHARACTER)) : cost }
  }

function validating(c: Called): Estimate {
  const traversed = scaled(size(c, c.args[0]), PER_CHARACTER)
  return { cost: scaled(traversed, LONGEST_PATTERN_OF_A_FORMAT * PER_PATTERN_CHARACTER) }
}

/** Equality of the libraries' values; undefined for all others. */
function comparing({ args: [a, b] }: Called): Estimate | undefined {
  if (!a || !b || a.type.name !== b.type.name) return undefined
  if (/^net\.|^kubernetes\.(Quantity|Semver)$/.test(a.type.name)) return { cost: ONE }
  if (a.type.name === 'kubernetes.NamedFormat')
    return { cost: scaled({ min: 1n, max: LONGEST_FORMAT }, PER_CHARACTER) }
  if (a.type.name !== 'kubernetes.URL') return undefined
  const longest = b.size ? union(b.size, b.size).max : 1n
  return { cost: scaled({ min: 1n, max: longest }, PER_CHARACTER) }
}

const ofTarget = (c: Called): Argument | undefined => c.target
const ofFirst = (c: Called): Argument | undefined => c.args[0]

const each = (names: string, estimator: CallEstimator): (readonly [string, CallEstimator])[] =>
  names.split(' ').map((name) => [name, estimator] as const)

const BY_FUNCTION: ReadonlyMap<string, CallEstimator> = new Map([
  ...each('isSorted sum max min indexOf lastIndexOf', wholeList),
  ...each('url', sameSize(ofFirst)),
  ...each('lowerAscii upperAscii substring trim', sameSize(ofTarget)),
  ...each('replace', replacing),
  ...each('split', splitting),
  ...each('join', joining),
  ...each('find findAll', finding),
  ...each('cidr isIP isCIDR quantity isQuantity semver isSemver', parsing(1)),
  ...each('ip', (c) => (c.args.length > 0 ? parsing(1)(c) : nominal(c))),
  ...each('ip.isCanonical', parsing(2)),
  ...each('containsIP', containment(false, 'cidr_contains_ip_string')),
  ...each('containsCIDR', containment(true, 'cidr_contains_cidr_string')),
  ...each('validate', validating),
  ...each('check', () => ({ cost: fixed(BigInt(ACCESS_CHECK)) })),
  ...each('_==_', comparing),
])

const SETS: Readonly<Record<string, number>> = {
  list_sets_contains_list: 1,
  list_sets_intersects_list: 1,
  list_sets_equivalent_list: 2,
}

/** The estimate of a function of Kubernetes' libraries; undefined for the language's own. */
export function libraryEstimate(fn: string, c: Called): Estimate | undefined {
  const sets = SETS[c.id]
  if (sets === undefined) return BY_FUNCTION.get(fn)?.(c)
  return { cost: plus(scaled(times(size(c, c.args[0]), size(c, c.args[1])), sets), fixed(1n)) }
}
