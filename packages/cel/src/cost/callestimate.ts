import type { CallExpr } from '../syntax/celexpr.ts'
import {
  type Argument,
  type CostEstimator,
  type EntrySize,
  type Estimate,
  entriesOf,
} from './costestimator.ts'
import {
  type CostRange,
  fixed,
  ONE,
  plus,
  scaled,
  smaller,
  times,
  UNKNOWN,
  union,
  ZERO,
} from './costrange.ts'
import { type Called, libraryEstimate, patternCost } from './libraryestimate.ts'

const PER_CHARACTER = 0.1

/** The estimate of one overload of a call, with the cost of its arguments. */
export function callEstimate(
  s: CostEstimator,
  e: CallExpr,
  fn: string,
  c: Called,
  costs: readonly CostRange[],
): Estimate {
  const args = costs.reduce(plus, ZERO)
  const own = libraryEstimate(fn, c)
  if (own) return { ...own, cost: plus(own.cost, args) }
  if (/^logical_(and|or)$/.test(c.id))
    return { cost: { min: costs[0]!.min, max: plus(costs[0]!, costs[1]!).max } }
  if (c.id === 'conditional') return conditional(s, e, c, costs)
  if (/^add_(string|bytes|list)$/.test(c.id)) joinEntries(s, e)
  const { cost, size } = languageEstimate(c)
  return { cost: plus(cost, args), ...(size && { size }) }
}

function conditional(s: CostEstimator, e: CallExpr, { args }: Called, costs: readonly CostRange[]): Estimate {
  joinEntries(s, e, 1)
  const cost = plus(costs[0]!, union(costs[1]!, costs[2]!))
  return { cost, size: union(sized(args[1]), sized(args[2])) }
}

/** What is made of two lists has elements of both. */
function joinEntries(s: CostEstimator, e: CallExpr, from = 0): void {
  const a = entriesOf(s, e.args[from]!)
  const b = entriesOf(s, e.args[from + 1]!)
  if (a && b) s.entries.set(e.id, both(a, b))
}

const both = (a: EntrySize, b: EntrySize): EntrySize => ({
  list: a.list,
  key: union(a.key, b.key),
  value: union(a.value, b.value),
})

const sized = (a: Argument | undefined): CostRange => a?.size ?? UNKNOWN

function languageEstimate({ id, target, args }: Called): Estimate {
  const [a, b] = args
  if (id === 'string_format') return { cost: scaled(sized(target), PER_CHARACTER) }
  if (id === 'string_to_bytes')
    return textConversion(
      sized(a),
      (n) => n,
      (n) => n * 4n,
    )
  if (id === 'bytes_to_string')
    return textConversion(
      sized(a),
      (n) => n / 4n,
      (n) => n,
    )
  if (id === 'strings_quote')
    return textConversion(
      sized(a),
      (n) => n + 2n,
      (n) => n * 2n + 2n,
    )
  if (id === 'starts_with_string' || id === 'ends_with_string')
    return { cost: scaled(sized(a), PER_CHARACTER) }
  if (id === 'in_list') return { cost: sized(b) }
  if (id === 'matches_string') return { cost: patternCost(sized(target), sized(a)) }
  if (id === 'contains_string')
    return { cost: times(scaled(sized(target), PER_CHARACTER), scaled(sized(a), PER_CHARACTER)) }
  if (id === 'add_list') return { cost: ONE, size: plus(sized(a), sized(b)) }
  if (id === 'add_string' || id === 'add_bytes') {
    const size = plus(sized(a), sized(b))
    return { cost: scaled(size, PER_CHARACTER), size }
  }
  if (/^(equals|not_equals)$|^(less|greater)(_equals)?_(string|bytes)$/.test(id))
    return comparison(sized(a), sized(b))
  return { cost: fixed(1n) }
}

const WORD = 64

function textConversion(
  size: CostRange,
  least: (n: bigint) => bigint,
  most: (n: bigint) => bigint,
): Estimate {
  const result = { min: BigInt.asUintN(WORD, least(size.min)), max: BigInt.asUintN(WORD, most(size.max)) }
  return { cost: scaled(size, PER_CHARACTER), size: result }
}

/** The shorter of the two decides. */
function comparison(a: CostRange, b: CostRange): Estimate {
  const most = smaller(a.max, b.max)
  return { cost: scaled({ min: most > 0n ? 1n : 0n, max: most }, PER_CHARACTER) }
}
