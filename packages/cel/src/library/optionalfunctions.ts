import {
  type CelValue,
  failure,
  is,
  isFailure,
  type ListValue,
  list,
  none,
  noOverload,
  type OptionalValue,
  some,
} from '../value/celvalue.ts'
import { type Overload, overload } from './overload.ts'

/** What an absent field would be: zero, empty, false, null. */
function isZero(v: CelValue): boolean {
  if (v === null || v === false || v === 0n || v === 0 || v === '') return true
  if (v instanceof Uint8Array) return v.length === 0
  if (is(v, 'uint')) return v.value === 0n
  if (is(v, 'list')) return v.items.length === 0
  if (is(v, 'map')) return v.size === 0
  if (is(v, 'duration')) return v.ns === 0n
  return is(v, 'optional') && v.value === undefined
}

function unwrap(l: ListValue): CelValue {
  const items: CelValue[] = []
  for (const item of l.items) {
    if (!is(item, 'optional')) return failure('value is not optional')
    if (item.value !== undefined) items.push(item.value)
  }
  return list(items)
}

const at = (l: ListValue, i: number): CelValue => {
  const item = l.items.at(i)
  return item === undefined ? none : isFailure(item) ? item : some(item)
}

const value = (o: OptionalValue): CelValue => o.value ?? failure('optional.none() dereference')

/** The alternatives of an optional are evaluated only where they are needed, so by the plan. */
const planned = (): CelValue => noOverload

export const optionalFunctions: readonly Overload[] = [
  overload('optional_of', '::optional.of(V): optional<V>', some),
  overload('optional_ofNonZeroValue', '::optional.ofNonZeroValue(V): optional<V>', (v: CelValue) =>
    isZero(v) ? none : some(v),
  ),
  overload('optional_none', '::optional.none(): optional<V>', () => none),
  overload('optional_value', 'optional<V>.value(): V', value),
  overload('optional_hasValue', 'optional<V>.hasValue(): bool', (o: OptionalValue) => o.value !== undefined),
  overload('optional_or_optional', 'optional<V>.or(optional<V>): optional<V>', planned),
  overload('optional_orValue_value', 'optional<V>.orValue(V): V', planned),
  overload('list_first', 'list<V>.first(): optional<V>', (l: ListValue) => at(l, 0)),
  overload('list_last', 'list<V>.last(): optional<V>', (l: ListValue) => at(l, -1)),
  overload('optional_unwrap', '::optional.unwrap(list<optional<V>>): list<V>', unwrap),
  overload('optional_unwrapOpt', 'list<optional<V>>.unwrapOpt(): list<V>', unwrap),
]
