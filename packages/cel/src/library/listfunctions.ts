import {
  type CelValue,
  type Duration,
  failure,
  isFailure,
  type ListValue,
  LONGEST_TEXT,
  noOverload,
  tooLong,
  type Uint,
} from '../value/celvalue.ts'
import { compareValues } from '../value/comparevalues.ts'
import { equal } from '../value/equal.ts'
import { int, uintOf } from '../value/number.ts'
import { duration } from '../value/parseduration.ts'
import { type Overload, overload } from './overload.ts'

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']

function isSorted(l: ListValue): CelValue {
  for (let i = 1; i < l.items.length; i++) if (compareValues(l.items[i - 1]!, l.items[i]!) === 1) return false
  return true
}

function extreme(name: string, wanted: number) {
  return (l: ListValue): CelValue => {
    let best: CelValue | undefined
    for (const item of l.items) {
      if (isFailure(item)) return item
      if (best === undefined || compareValues(best, item) === wanted) best = item
    }
    return best ?? failure(`${name} called on empty list`)
  }
}

function sum(zero: CelValue, add: (a: never, b: never) => CelValue) {
  return (l: ListValue): CelValue => {
    let total = zero
    for (const item of l.items) {
      if (isFailure(item)) return item
      total = add(total as never, item as never)
      if (isFailure(total)) return total
    }
    return total
  }
}

const summable: readonly Overload[] = [
  overload(
    'list_int_sum_int',
    'list<int>.sum(): int',
    sum(0n, (a: bigint, b: bigint) => int(a + b)),
  ),
  overload(
    'list_uint_sum_uint',
    'list<uint>.sum(): uint',
    sum({ kind: 'uint', value: 0n }, (a: Uint, b: Uint) => uintOf(a.value + b.value)),
  ),
  overload(
    'list_double_sum_double',
    'list<double>.sum(): double',
    sum(0, (a: number, b: number) => a + b),
  ),
  overload(
    'list_duration_sum_duration',
    'list<duration>.sum(): duration',
    sum({ kind: 'duration', ns: 0n }, (a: Duration, b: Duration) => duration(a.ns + b.ns)),
  ),
]

const indexOf = (l: ListValue, item: CelValue): CelValue => BigInt(l.items.findIndex((x) => equal(x, item)))
const lastIndexOf = (l: ListValue, item: CelValue): CelValue =>
  BigInt(l.items.findLastIndex((x) => equal(x, item)))

function join(l: ListValue, separator = ''): CelValue {
  if (!l.items.every((x) => typeof x === 'string')) return l.items.find(isFailure) ?? noOverload
  const length = l.items.reduce((n: number, x) => n + String(x).length + separator.length, 0)
  return length > LONGEST_TEXT ? tooLong : l.items.join(separator)
}

export const listFunctions: readonly Overload[] = [
  ...COMPARABLE.flatMap((t) => [
    overload(`list_${t}_is_sorted_bool`, `list<${t}>.isSorted(): bool`, isSorted),
    overload(`list_${t}_max_${t}`, `list<${t}>.max(): ${t}`, extreme('max', -1)),
    overload(`list_${t}_min_${t}`, `list<${t}>.min(): ${t}`, extreme('min', 1)),
  ]),
  ...summable,
  overload('list_a_index_of_int', 'list<A>.indexOf(A): int', indexOf),
  overload('list_a_last_index_of_int', 'list<A>.lastIndexOf(A): int', lastIndexOf),
  overload('list_join', 'list<string>.join(): string', (l: ListValue) => join(l)),
  overload('list_join_string', 'list<string>.join(string): string', join),
]
