import type { CelValue, ListValue } from '../value/celvalue.ts'
import { equal } from '../value/equal.ts'
import { type Overload, overload } from './overload.ts'

const has = (l: ListValue, item: CelValue): boolean => l.items.some((x) => equal(x, item))
const contains = (l: ListValue, sub: ListValue): boolean => sub.items.every((x) => has(l, x))

export const setFunctions: readonly Overload[] = [
  overload('list_sets_contains_list', '::sets.contains(list<T>, list<T>): bool', contains),
  overload(
    'list_sets_equivalent_list',
    '::sets.equivalent(list<T>, list<T>): bool',
    (a: ListValue, b: ListValue) => contains(a, b) && contains(b, a),
  ),
  overload(
    'list_sets_intersects_list',
    '::sets.intersects(list<T>, list<T>): bool',
    (a: ListValue, b: ListValue) => a.items.some((x) => has(b, x)),
  ),
]
