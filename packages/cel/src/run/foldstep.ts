import {
  type CelValue,
  failure,
  is,
  isFailure,
  LONGEST_LIST,
  type MapValue,
  noOverload,
  tooLong,
  typeNameOf,
  weightOf,
} from '../value/celvalue.ts'
import { keyOf } from '../value/mapvalue.ts'
import type { EvaluationStep } from './evaluationstep.ts'
import { charge, type EvaluationContext, exhausted } from './meter.ts'

/** A loop with the slots of its variables. */
export interface FoldLoop {
  readonly range: EvaluationStep
  readonly variable: number
  readonly second?: number
  readonly accumulator: number
  readonly init: EvaluationStep
  readonly condition: EvaluationStep
  readonly step: EvaluationStep
  readonly result: EvaluationStep
}

/** Runs until the range ends, the condition is false, or what may be spent is spent. */
export function foldStep(loop: FoldLoop): EvaluationStep {
  return {
    run: (c) => {
      const range = loop.range.run(c)
      if (isFailure(range)) return range
      const firsts = is(range, 'list') ? range.items : is(range, 'map') ? range.keys() : undefined
      if (!firsts) return notIterable(range, loop.second !== undefined)
      c.slots[loop.accumulator] = loop.init.run(c)
      for (let i = 0; i < firsts.length; i++) {
        bind(c, loop, range, i, firsts[i]!)
        if (loop.condition.run(c) === false || exhausted(c)) break
        c.slots[loop.accumulator] = loop.step.run(c)
        if (exhausted(c)) break
      }
      return loop.result.run(c)
    },
  }
}

/** One variable holds the item of a list or the key of a map; with two the first says where, the second what. */
function bind(c: EvaluationContext, loop: FoldLoop, range: CelValue, i: number, first: CelValue): void {
  if (loop.second === undefined) {
    c.slots[loop.variable] = first
    return
  }
  c.slots[loop.variable] = is(range, 'map') ? first : BigInt(i)
  c.slots[loop.second] = is(range, 'map') ? (range.find(first) ?? noOverload) : first
}

/** Named by the type that Go has for it, as the API server does. */
function notIterable(v: CelValue, two: boolean): CelValue {
  const name = typeNameOf(v).replace(/^google\.protobuf\.|_type$/g, '')
  const type = `types.${name[0]!.toUpperCase()}${name.slice(1)}`
  return failure(
    two ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`,
  )
}

/**
 * `accumulator + [item]` in a loop: nobody else sees the list, so the item is put into it. Copying it each time would
 * make loops quadratic, which the charge does not account for.
 */
export function appendStep(accumulated: EvaluationStep, item: EvaluationStep): EvaluationStep {
  return {
    run: (c) => {
      const left = accumulated.run(c)
      const right = item.run(c)
      charge(c, 1)
      if (isFailure(left)) return left
      if (!is(right, 'list')) return isFailure(right) ? right : noOverload
      if (!is(left, 'list')) return noOverload
      const weight = weightOf(left) + weightOf(right)
      if (weight > LONGEST_LIST) return tooLong
      ;(left.items as CelValue[]).push(...right.items)
      ;(left as { weight?: number }).weight = weight
      return left
    },
  }
}

/** The map that a loop fills: like the list, its own. */
interface GrowingMap extends MapValue {
  readonly entries: Map<string, readonly [CelValue, CelValue]>
  weight: number
}

export function growingMap(): GrowingMap {
  const entries = new Map<string, readonly [CelValue, CelValue]>()
  return {
    kind: 'map',
    entries,
    weight: 1,
    get size() {
      return entries.size
    },
    find: (key) => entries.get(keyOf(key) ?? '')?.[1],
    keys: () => [...entries.values()].map(([key]) => key),
  }
}

/** Puts an entry, or all entries of a map, into the map of a loop; a key that is there already is an error. */
export function insertStep(args: readonly EvaluationStep[]): EvaluationStep {
  return {
    run: (c) => {
      const values: CelValue[] = []
      for (const arg of args) {
        const value = arg.run(c)
        if (isFailure(value) && args.length > 2) return value
        values.push(value)
      }
      charge(c, 1)
      return values.find(isFailure) ?? inserted(values)
    },
  }
}

function inserted([target, key, value]: readonly CelValue[]): CelValue {
  const map = target as GrowingMap
  if (value !== undefined) return put(map, key!, value)
  if (!is(key!, 'map')) return noOverload
  for (const k of key.keys()) {
    const failed = put(map, k, key.find(k)!)
    if (isFailure(failed)) return failed
  }
  return map
}

function put(map: GrowingMap, key: CelValue, value: CelValue): CelValue {
  const k = keyOf(key)
  if (k === undefined) return failure('unsupported key type')
  if (map.entries.has(k)) return failure(`insert failed: key ${k.slice(1)} already exists`)
  map.weight += 1 + weightOf(value)
  if (map.weight > LONGEST_LIST) return tooLong
  map.entries.set(k, [key, value])
  return map
}

/** Where an optional has a value it is taken, and the other side is not evaluated. Free of charge. */
export function alternativeStep(
  unwrap: boolean,
  left: EvaluationStep,
  right: EvaluationStep,
): EvaluationStep {
  return {
    run: (c: EvaluationContext) => {
      const value = left.run(c)
      if (!is(value, 'optional')) return isFailure(value) ? value : noOverload
      if (value.value === undefined) return right.run(c)
      return unwrap ? value.value : value
    },
  }
}
