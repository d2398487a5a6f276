import { type CelValue, failure } from '../value/celvalue.ts'
import { dataOf, opaqueValue } from './opaquevalue.ts'
import { type Overload, overload } from './overload.ts'
import {
  addQuantities,
  approximateQuantity,
  compareQuantities,
  parseQuantity,
  type Quantity,
  wholeQuantity,
} from './quantity.ts'

const wrap = (q: Quantity): CelValue => opaqueValue('quantity', q, (a, b) => compareQuantities(a, b) === 0)

function convert(text: string): CelValue {
  const q = parseQuantity(text)
  return 'complaint' in q ? failure(q.complaint) : wrap(q)
}

const ofInt = (v: bigint): Quantity => ({ unscaled: v, scale: 0, decimal: false })
const negated = (q: Quantity): Quantity => ({ ...q, unscaled: -q.unscaled })
const sign = (q: Quantity): bigint => (q.unscaled < 0n ? -1n : q.unscaled > 0n ? 1n : 0n)

const compared = (id: string, method: string, type: string, of: (order: number) => CelValue): Overload =>
  overload(`quantity_${id}`, `quantity.${method}(quantity): ${type}`, (a: CelValue, b: CelValue) =>
    of(compareQuantities(dataOf(a), dataOf(b))),
  )

/** `sign` is a function and no method in this version of the API server; nobody meant it, and it is kept. */
export const quantityFunctions: readonly Overload[] = [
  overload('string_to_quantity', 'quantity(string): quantity', convert),
  overload(
    'is_quantity_string',
    'isQuantity(string): bool',
    (text: string) => !('complaint' in parseQuantity(text)),
  ),
  overload('quantity_sign', 'sign(quantity): int', (q: CelValue) => sign(dataOf(q))),
  compared('is_greater_than', 'isGreaterThan', 'bool', (order) => order > 0),
  compared('is_less_than', 'isLessThan', 'bool', (order) => order < 0),
  compared('compare_to', 'compareTo', 'int', BigInt),
  overload('quantity_get_float', 'quantity.asApproximateFloat(): double', (q: CelValue) =>
    approximateQuantity(dataOf(q)),
  ),
  overload(
    'quantity_get_int',
    'quantity.asInteger(): int',
    (q: CelValue) => wholeQuantity(dataOf(q)) ?? failure('cannot convert value to integer'),
  ),
  overload(
    'quantity_is_integer',
    'quantity.isInteger(): bool',
    (q: CelValue) => wholeQuantity(dataOf(q)) !== undefined,
  ),
  overload('quantity_add', 'quantity.add(quantity): quantity', (a: CelValue, b: CelValue) =>
    wrap(addQuantities(dataOf(a), dataOf(b))),
  ),
  overload('quantity_add_int', 'quantity.add(int): quantity', (a: CelValue, b: bigint) =>
    wrap(addQuantities(dataOf(a), ofInt(b))),
  ),
  overload('quantity_sub', 'quantity.sub(quantity): quantity', (a: CelValue, b: CelValue) =>
    wrap(addQuantities(dataOf(a), negated(dataOf(b)))),
  ),
  overload('quantity_sub_int', 'quantity.sub(int): quantity', (a: CelValue, b: bigint) =>
    wrap(addQuantities(dataOf(a), ofInt(-b))),
  ),
]
