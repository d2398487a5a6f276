import { type CelValue, is, isFailure, type ListValue, type MapValue, typeNameOf } from './celvalue.ts'
import { compareNumbers, isNumeric } from './number.ts'

/** Equality across types as CEL has it: numbers by value, anything else of different types is unequal. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(a, b) === 0
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b)
  if (b instanceof Uint8Array) return false
  if (is(a, 'list')) return is(b, 'list') && equalLists(a, b)
  if (is(a, 'map')) return is(b, 'map') && equalMaps(a, b)
  if (is(a, 'optional')) return is(b, 'optional') && equalOptional(a.value, b.value)
  if (is(a, 'type')) return is(b, 'type') && a.name === b.name
  if (is(a, 'timestamp')) return is(b, 'timestamp') && a.ns === b.ns
  if (is(a, 'duration')) return is(b, 'duration') && a.ns === b.ns
  if (is(a, 'foreign')) return is(b, 'foreign') && typeNameOf(a) === typeNameOf(b) && a.same(b.data)
  return false
}

const equalOptional = (a: CelValue | undefined, b: CelValue | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equal(a, b)

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function equalLists(a: ListValue, b: ListValue): boolean {
  if (a.items.length !== b.items.length) return false
  const { merge } = a
  if (merge === 'set') return b.items.every((item) => a.items.some((x) => equal(x, item)))
  if (merge !== undefined) {
    return b.items.every((item) => {
      const mine = a.items.find((x) => sameKeys(x, item, merge))
      return mine !== undefined && equal(mine, item)
    })
  }
  return a.items.every((item, i) => equal(item, b.items[i]!))
}

/** Whether two elements of a list of type map are the same one. */
export function sameKeys(a: CelValue, b: CelValue, keys: readonly string[]): boolean {
  if (!is(a, 'map') || !is(b, 'map')) return false
  return keys.every((key) => equalOptional(a.find(key), b.find(key)))
}

/**
 * Objects are compared member by member from the left, and a member that is null counts as missing on the right: that is
 * how the API server does it, odd as it is (an object with a null in it does not equal itself).
 */
function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false
  if (a.members) {
    for (const [name, mine] of a.members()) {
      if (mine === undefined) continue
      const other = b.find(name)
      if (other === undefined || isFailure(other) || !equal(mine, other)) return false
    }
    return true
  }
  return a.keys().every((key) => {
    const other = b.find(key)
    return other !== undefined && equal(a.find(key)!, other)
  })
}
