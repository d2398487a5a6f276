import { type CelValue, isFailure, noOverload } from '../value/celvalue.ts'
import type { EvaluationStep } from './evaluationstep.ts'
import { charge } from './meter.ts'

/**
 * `&&` and `||`: whatever decides wins, from either side, so an error on the other one does not matter. They cost nothing
 * themselves.
 */
export function logicStep(decisive: boolean, left: EvaluationStep, right: EvaluationStep): EvaluationStep {
  return {
    run: (c) => {
      const a = left.run(c)
      if (a === decisive) return decisive
      const b = right.run(c)
      if (b === decisive) return decisive
      if (typeof a !== 'boolean') return errorOf(a)
      return typeof b === 'boolean' ? !decisive : errorOf(b)
    },
  }
}

const errorOf = (v: CelValue): CelValue => (isFailure(v) ? v : noOverload)

/** Whether a loop goes on: it does until the answer is certain, over errors too. */
export function goingOnStep(going: EvaluationStep): EvaluationStep {
  return {
    run: (c) => {
      const value = going.run(c)
      charge(c, 1)
      return value !== false
    },
  }
}
