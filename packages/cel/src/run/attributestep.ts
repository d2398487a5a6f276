import { doubleText } from '../value/number.ts'
import { failure, is, isFailure, none, noOverload, some, typeNameOf, type Value } from '../value/celvalue.ts'
import { type Context, charge } from './meter.ts'
import type { Attribute, Qualifier, Step } from './evaluationstep.ts'

export function pathFrom(start: (c: Context) => Value, path: readonly Qualifier[] = []): Attribute {
  return {
    free: false,
    resolve: path.length === 0 ? start : (c) => follow(c, start(c), path),
    qualify: (q) => pathFrom(start, [...path, q]),
  }
}

export function choice(condition: Step, yes: Attribute, no: Attribute): Attribute {
  return {
    free: true,
    resolve: (c) => {
      const chosen = condition.run(c)
      if (chosen === true) return yes.resolve(c)
      if (chosen === false) return no.resolve(c)
      return isFailure(chosen) ? chosen : noOverload
    },
    qualify: (q) => choice(condition, yes.qualify(q), no.qualify(q)),
  }
}

/** The attribute of a step, or one that begins with what the step computes. */
export const attributeOf = (s: Step): Attribute => s.attribute ?? pathFrom(s.run)

export function attributeStep(attribute: Attribute): Step {
  if (attribute.free) return { run: attribute.resolve, attribute }
  return {
    attribute,
    run: (c) => {
      const value = attribute.resolve(c)
      charge(c, 1)
      return value
    },
  }
}

/** What `has()` gives: the path's last part says whether it is there. */
export function testStep(attribute: Attribute): Step {
  return {
    run: (c) => {
      const value = attribute.resolve(c)
      return is(value, 'optional') ? value.value !== undefined && value.value !== false : value
    },
  }
}

function follow(c: Context, start: Value, path: readonly Qualifier[]): Value {
  let value = start
  let optional = is(start, 'optional')
  if (is(start, 'optional')) {
    if (start.value === undefined) return none
    value = start.value
  }
  for (const q of path) {
    optional ||= q.optional
    const found = part(c, value, q, optional)
    if (found === undefined) return none
    if (isFailure(found)) return found
    value = found
  }
  return optional ? some(value) : value
}

/** Undefined where an optional path ends; that last part is not charged. */
function part(c: Context, value: Value, q: Qualifier, optional: boolean): Value | undefined {
  const key = q.key(c)
  const found = isFailure(value) ? value : isFailure(key) ? key : at(value, key)
  if (q.test) {
    charge(c, 1)
    return found === undefined ? false : isFailure(found) ? found : true
  }
  if (found === undefined && optional) return undefined
  charge(c, 1)
  return found ?? missing(value, key)
}

/** The element of a list or the member of a map; undefined where there is none. */
function at(value: Value, key: Value): Value | undefined {
  if (is(value, 'map')) return value.find(key)
  if (!is(value, 'list')) return undefined
  const index =
    typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : is(key, 'uint') ? key.value : key
  if (typeof index !== 'bigint') return failure(`unsupported index type '${typeNameOf(key)}' in list`)
  return index < 0n || index >= BigInt(value.items.length) ? undefined : value.items[Number(index)]
}

function missing(value: Value, key: Value): Value {
  return failure(`${is(value, 'list') ? 'index out of bounds' : 'no such key'}: ${keyText(key)}`)
}

function keyText(key: Value): string {
  if (typeof key === 'number') return doubleText(key)
  return is(key, 'uint') ? String(key.value) : String(key)
}
