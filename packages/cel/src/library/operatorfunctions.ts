import {
  type CelValue,
  type Duration,
  failure,
  type ListValue,
  LONGEST_LIST,
  LONGEST_TEXT,
  type MapValue,
  noOverload,
  type Timestamp,
  tooLong,
  type Uint,
  weightOf,
} from '../value/celvalue.ts'
import { compareValues } from '../value/comparevalues.ts'
import { equal, sameKeys } from '../value/equal.ts'
import { int, uintOf } from '../value/number.ts'
import { duration } from '../value/parseduration.ts'
import { timestamp } from '../value/parsetimestamp.ts'
import { type Overload, overload } from './overload.ts'

const ORDERED = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const CROSSED: readonly (readonly [string, string])[] = [
  ['int', 'double'],
  ['int', 'uint'],
  ['uint', 'double'],
  ['uint', 'int'],
  ['double', 'int'],
  ['double', 'uint'],
]
const IDS: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' }

/** `<` and its like: within a type, and between numbers of different types. */
function comparison(sign: string, id: string, holds: (order: number) => boolean): Overload[] {
  const run = (a: CelValue, b: CelValue): CelValue => {
    const order = compareValues(a, b)
    return order === undefined
      ? typeof a === 'number' || typeof b === 'number'
        ? false
        : noOverload
      : holds(order)
  }
  const named = (t: string): string => IDS[t] ?? t
  return [
    ...ORDERED.map((t) => overload(`${id}_${named(t)}`, `_${sign}_(${t}, ${t}): bool`, run)),
    ...CROSSED.map(([a, b]) => overload(`${id}_${named(a)}_${named(b)}`, `_${sign}_(${a}, ${b}): bool`, run)),
  ]
}

const text = (a: string, b: string): CelValue => (a.length + b.length > LONGEST_TEXT ? tooLong : a + b)

function bytes(a: Uint8Array, b: Uint8Array): CelValue {
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

/** Lists that Kubernetes merges keep being such: equal elements of the right replace those of the left, others are added. */
function lists(a: ListValue, b: ListValue): CelValue {
  const { merge } = a
  const weight = weightOf(a) + weightOf(b)
  if (weight > LONGEST_LIST) return tooLong
  if (merge === undefined) return { kind: 'list', items: [...a.items, ...b.items], weight }
  const items = [...a.items]
  const same = (x: CelValue, y: CelValue): boolean => (merge === 'set' ? equal(x, y) : sameKeys(x, y, merge))
  for (const item of b.items) {
    const at = items.findIndex((x) => same(x, item))
    if (at < 0) items.push(item)
    else items[at] = item
  }
  return { kind: 'list', items, merge }
}

const divided = (by: bigint, result: () => CelValue): CelValue =>
  by === 0n ? failure('division by zero') : result()
const rest = (by: bigint, result: () => CelValue): CelValue =>
  by === 0n ? failure('modulus by zero') : result()

const arithmetic: readonly Overload[] = [
  overload('add_bytes', '_+_(bytes, bytes): bytes', bytes),
  overload('add_double', '_+_(double, double): double', (a: number, b: number) => a + b),
  overload('add_duration_duration', '_+_(duration, duration): duration', (a: Duration, b: Duration) =>
    duration(a.ns + b.ns),
  ),
  overload('add_duration_timestamp', '_+_(duration, timestamp): timestamp', (a: Duration, b: Timestamp) =>
    timestamp(a.ns + b.ns, b.offset),
  ),
  overload('add_timestamp_duration', '_+_(timestamp, duration): timestamp', (a: Timestamp, b: Duration) =>
    timestamp(a.ns + b.ns, a.offset),
  ),
  overload('add_int64', '_+_(int, int): int', (a: bigint, b: bigint) => int(a + b)),
  overload('add_list', '_+_(list<A>, list<A>): list<A>', lists),
  overload('add_string', '_+_(string, string): string', text),
  overload('add_uint64', '_+_(uint, uint): uint', (a: Uint, b: Uint) => uintOf(a.value + b.value)),
  overload('subtract_double', '_-_(double, double): double', (a: number, b: number) => a - b),
  overload('subtract_duration_duration', '_-_(duration, duration): duration', (a: Duration, b: Duration) =>
    duration(a.ns - b.ns),
  ),
  overload('subtract_int64', '_-_(int, int): int', (a: bigint, b: bigint) => int(a - b)),
  overload(
    'subtract_timestamp_duration',
    '_-_(timestamp, duration): timestamp',
    (a: Timestamp, b: Duration) => timestamp(a.ns - b.ns, a.offset),
  ),
  overload(
    'subtract_timestamp_timestamp',
    '_-_(timestamp, timestamp): duration',
    (a: Timestamp, b: Timestamp) => duration(a.ns - b.ns),
  ),
  overload('subtract_uint64', '_-_(uint, uint): uint', (a: Uint, b: Uint) => uintOf(a.value - b.value)),
  overload('multiply_double', '_*_(double, double): double', (a: number, b: number) => a * b),
  overload('multiply_int64', '_*_(int, int): int', (a: bigint, b: bigint) => int(a * b)),
  overload('multiply_uint64', '_*_(uint, uint): uint', (a: Uint, b: Uint) => uintOf(a.value * b.value)),
  overload('divide_double', '_/_(double, double): double', (a: number, b: number) => a / b),
  overload('divide_int64', '_/_(int, int): int', (a: bigint, b: bigint) => divided(b, () => int(a / b))),
  overload('divide_uint64', '_/_(uint, uint): uint', (a: Uint, b: Uint) =>
    divided(b.value, () => uintOf(a.value / b.value)),
  ),
  overload('modulo_int64', '_%_(int, int): int', (a: bigint, b: bigint) => rest(b, () => int(a % b))),
  overload('modulo_uint64', '_%_(uint, uint): uint', (a: Uint, b: Uint) =>
    rest(b.value, () => uintOf(a.value % b.value)),
  ),
  overload('negate_double', '-_(double): double', (a: number) => -a),
  overload('negate_int64', '-_(int): int', (a: bigint) => int(-a)),
]

const inMap = (key: CelValue, m: MapValue): CelValue => m.find(key) !== undefined

/** Evaluated by the plan itself, not as calls: what is here gives them their types. */
const planned = (): CelValue => noOverload

export const operatorFunctions: readonly Overload[] = [
  overload('conditional', '_?_:_(bool, A, A): A', planned),
  overload('logical_and', '_&&_(bool, bool): bool', planned),
  overload('logical_or', '_||_(bool, bool): bool', planned),
  overload('not_strictly_false', '@not_strictly_false(bool): bool', planned),
  overload('logical_not', '!_(bool): bool', (a: boolean) => !a),
  overload('equals', '_==_(A, A): bool', (a: CelValue, b: CelValue) => equal(a, b)),
  overload('not_equals', '_!=_(A, A): bool', (a: CelValue, b: CelValue) => !equal(a, b)),
  ...arithmetic,
  ...comparison('<', 'less', (order) => order < 0),
  ...comparison('<=', 'less_equals', (order) => order <= 0),
  ...comparison('>', 'greater', (order) => order > 0),
  ...comparison('>=', 'greater_equals', (order) => order >= 0),
  overload('index_list', '_[_](list<A>, int): A', planned),
  overload('index_map', '_[_](map<A, B>, A): B', planned),
  overload('optional_list_index_int', '_[_](optional<list<V>>, int): optional<V>', planned),
  overload('optional_map_index_value', '_[_](optional<map<K, V>>, K): optional<V>', planned),
  overload('list_optindex_optional_int', '_[?_](list<V>, int): optional<V>', planned),
  overload('optional_list_optindex_optional_int', '_[?_](optional<list<V>>, int): optional<V>', planned),
  overload('map_optindex_optional_value', '_[?_](map<K, V>, K): optional<V>', planned),
  overload('optional_map_optindex_optional_value', '_[?_](optional<map<K, V>>, K): optional<V>', planned),
  overload('in_list', '@in(A, list<A>): bool', (a: CelValue, l: ListValue) =>
    l.items.some((x) => equal(x, a)),
  ),
  overload('in_map', '@in(A, map<A, B>): bool', inMap),
  overload('map_insert_key', 'cel.@mapInsert(map<K, V>, K, V): map<K, V>', planned),
  overload('map_insert_map', 'cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>', planned),
]
