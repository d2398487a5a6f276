import { type CelValue, is, isFailure, typeNameOf } from '../value/celvalue.ts'
import { keyOf } from '../value/mapvalue.ts'
import { constantStep, type EvaluationStep } from './evaluationstep.ts'

const PRIMITIVE = ['bool', 'double', 'int', 'string', 'uint']

/** `x in [1, 2, 3]`: a set made once. It costs what x costs. Undefined where the list holds more than plain values. */
export function membershipStep(element: EvaluationStep, constant: CelValue): EvaluationStep | undefined {
  if (!is(constant, 'list')) return undefined
  if (constant.items.length === 0) return constantStep(false)
  if (!constant.items.every((v) => PRIMITIVE.includes(typeNameOf(v)))) return undefined
  const members = new Set(constant.items.map(memberKey))
  return {
    run: (c) => {
      const value = element.run(c)
      return isFailure(value) ? value : members.has(memberKey(value))
    },
  }
}

const memberKey = (v: CelValue): unknown => keyOf(v) ?? v
