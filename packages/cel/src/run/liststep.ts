import {
  type CelValue,
  failure,
  is,
  isFailure,
  LONGEST_LIST,
  list,
  tooLong,
  weighed,
  weightOf,
} from '../value/celvalue.ts'
import { keyOf, mapValueOf } from '../value/mapvalue.ts'
import { constantStep, type EvaluationStep } from './evaluationstep.ts'
import { charge, type EvaluationContext } from './meter.ts'

const LIST_COST = 10
const MAP_COST = 30

interface Element {
  readonly step: EvaluationStep
  readonly optional: boolean
}

/** A list; one of constants is a constant, and costs nothing. */
export function listStep(elements: readonly Element[]): EvaluationStep {
  if (elements.every((e) => e.step.constant))
    return constantStep(list(elements.map((e) => e.step.constant!.value)))
  return {
    run: (c) => {
      const result = listOf(c, elements)
      charge(c, LIST_COST)
      return result
    },
  }
}

function listOf(c: EvaluationContext, elements: readonly Element[]): CelValue {
  const items: CelValue[] = []
  for (const { step, optional } of elements) {
    const value = step.run(c)
    if (isFailure(value)) return value
    if (!optional) items.push(value)
    else if (!is(value, 'optional'))
      return failure('cannot initialize optional list element from non-optional value')
    else if (value.value !== undefined) items.push(value.value)
  }
  return weighed(items)
}

interface EntryStep {
  readonly key: EvaluationStep
  readonly value: EvaluationStep
  readonly optional: boolean
}

export function mapStep(entries: readonly EntryStep[]): EvaluationStep {
  if (entries.every((e) => e.key.constant && e.value.constant))
    return constantStep(mapValueOf(entries.map((e) => [e.key.constant!.value, e.value.constant!.value])))
  return {
    run: (c) => {
      const result = entriesOf(c, entries)
      charge(c, MAP_COST)
      return result
    },
  }
}

function entriesOf(c: EvaluationContext, entries: readonly EntryStep[]): CelValue {
  const made: (readonly [CelValue, CelValue])[] = []
  for (const entry of entries) {
    const key = entry.key.run(c)
    if (isFailure(key)) return key
    const value = entry.value.run(c)
    if (isFailure(value)) return value
    if (keyOf(key) === undefined) return failure('unsupported key type')
    if (!entry.optional) made.push([key, value])
    else if (!is(value, 'optional'))
      return failure('cannot initialize optional entry from non-optional value')
    else if (value.value !== undefined) made.push([key, value.value])
  }
  const weight = made.reduce((sum, [, value]) => sum + 1 + weightOf(value), 1)
  return weight > LONGEST_LIST ? tooLong : { ...mapValueOf(made), weight }
}
