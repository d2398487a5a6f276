import { type CallCost, costOfCalls } from '../cost/costofcalls.ts'
import type { Overload } from '../library/overload.ts'
import type { CelType } from '../type/celtype.ts'
import { type CelValue, failure, is, isFailure, noOverload, typeNameOf, weightOf } from '../value/celvalue.ts'
import type { EvaluationStep } from './evaluationstep.ts'
import { charge, chargeWork } from './meter.ts'

/** Plans a call of a function: which overload is chosen by the values only where their types were not known before. */
export function callStep(
  fn: string,
  chosen: readonly Overload[],
  args: readonly EvaluationStep[],
  known: boolean,
): EvaluationStep {
  const only = chosen.length === 1 ? chosen[0]! : undefined
  const cost = costOfCalls(fn, only?.id ?? '')
  const run = only && known ? only.run : undefined
  const select = (...values: CelValue[]): CelValue => {
    const fitting = chosen.find((o) => o.params.every((p, i) => fits(p, values[i]!)))
    return fitting ? fitting.run(...values) : misused(fn, values)
  }
  if (args.length === 1) return unaryStep(run ?? select, args[0]!, cost)
  if (args.length === 2) return binaryStep(run ?? select, args[0]!, args[1]!, cost)
  return longStep(run ?? select, args, cost)
}

/** Lists up to here are paid for by what calls cost. */
const LIGHT = 100

type OverloadRun = (...values: CelValue[]) => CelValue

function unaryStep(run: OverloadRun, arg: EvaluationStep, cost: CallCost | undefined): EvaluationStep {
  return {
    run: (c) => {
      const value = arg.run(c)
      const result = isFailure(value) ? value : run(value)
      charge(c, cost ? cost([value], result) : 1)
      return result
    },
  }
}

/** Both sides are evaluated, and paid for, even where the first has failed. */
function binaryStep(
  run: OverloadRun,
  left: EvaluationStep,
  right: EvaluationStep,
  cost: CallCost | undefined,
): EvaluationStep {
  return {
    run: (c) => {
      const a = left.run(c)
      const b = right.run(c)
      const result = isFailure(a) ? a : isFailure(b) ? b : run(a, b)
      const weight = weightOf(a) + weightOf(b)
      if (weight > LIGHT) chargeWork(c, weight)
      charge(c, cost ? cost([a, b], result) : 1)
      return result
    },
  }
}

/** Of more than two arguments none is looked at after one that fails, and the call is not paid for then. */
function longStep(
  run: OverloadRun,
  args: readonly EvaluationStep[],
  cost: CallCost | undefined,
): EvaluationStep {
  return {
    run: (c) => {
      const values: CelValue[] = []
      for (const arg of args) {
        const value = arg.run(c)
        values.push(value)
        if (isFailure(value) && values.length < args.length) return value
      }
      const last = values.at(-1)
      const result = last !== undefined && isFailure(last) ? last : run(...values)
      charge(c, cost ? cost(values, result) : 1)
      return result
    },
  }
}

/** Methods of strings say nothing of themselves, `size` gives its name, and whatever has overloads of its own the types too. */
const SILENT = /^[_!@-]|^(?:contains|startsWith|endsWith|matches)$/

/** What is said where only the values could tell that no overload fits. */
function misused(fn: string, values: readonly CelValue[]): CelValue {
  if (SILENT.test(fn)) return noOverload
  return failure(`no such overload: ${fn}${fn === 'size' ? '' : `(${values.map(typeNameOf).join(', ')})`}`)
}

/** Whether a value may be given for a parameter; elements are looked at where the parameter says what they are. */
function fits(type: CelType, v: CelValue): boolean {
  if (type.kind === 'param' || type.kind === 'dyn') return true
  if (type.kind === 'list') return is(v, 'list') && v.items.every((x) => fits(type.params[0]!, x))
  if (type.kind === 'map') return is(v, 'map')
  if (type.kind === 'null') return v === null
  if (type.kind === 'struct' || type.kind === 'opaque') return typeNameOf(v) === type.name
  if (type.kind === 'timestamp' || type.kind === 'duration') return is(v, type.kind)
  return typeNameOf(v) === type.kind
}

/** Whether the type leaves nothing for the values to tell. */
export const isKnown = (t: CelType): boolean =>
  t.kind !== 'dyn' && t.kind !== 'error' && t.kind !== 'null' && t.params.every(isKnown)
