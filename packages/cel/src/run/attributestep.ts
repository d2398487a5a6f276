import {
  type CelValue,
  failure,
  is,
  isFailure,
  none,
  noOverload,
  some,
  typeNameOf,
} from '../value/celvalue.ts'
import { doubleText } from '../value/number.ts'
import type { Attribute, EvaluationStep, Qualifier } from './evaluationstep.ts'
import { charge, type EvaluationContext } from './meter.ts'

export function pathFrom(
  start: (c: EvaluationContext) => CelValue,
  path: readonly Qualifier[] = [],
): Attribute {
  return {
    free: false,
    resolve: path.length === 0 ? start : (c) => follow(c, start(c), path),
    qualify: (q) => pathFrom(start, [...path, q]),
  }
}

export function choice(condition: EvaluationStep, yes: Attribute, no: Attribute): Attribute {
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
export const attributeOf = (s: EvaluationStep): Attribute => s.attribute ?? pathFrom(s.run)

export function attributeStep(attribute: Attribute): EvaluationStep {
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
export function testStep(attribute: Attribute): EvaluationStep {
  return {
    run: (c) => {
      const value = attribute.resolve(c)
      return is(value, 'optional') ? value.value !== undefined && value.value !== false : value
    },
  }
}

function follow(c: EvaluationContext, start: CelValue, path: readonly Qualifier[]): CelValue {
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
function part(c: EvaluationContext, value: CelValue, q: Qualifier, optional: boolean): CelValue | undefined {
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
function at(value: CelValue, key: CelValue): CelValue | undefined {
  if (is(value, 'map')) return value.find(key)
  if (!is(value, 'list')) return undefined
  const index =
    typeof key === 'number' && Number.isInteger(key) ? BigInt(key) : is(key, 'uint') ? key.value : key
  if (typeof index !== 'bigint') return failure(`unsupported index type '${typeNameOf(key)}' in list`)
  return index < 0n || index >= BigInt(value.items.length) ? undefined : value.items[Number(index)]
}

function missing(value: CelValue, key: CelValue): CelValue {
  return failure(`${is(value, 'list') ? 'index out of bounds' : 'no such key'}: ${keyText(key)}`)
}

function keyText(key: CelValue): string {
  if (typeof key === 'number') return doubleText(key)
  return is(key, 'uint') ? String(key.value) : String(key)
}
