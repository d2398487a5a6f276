import type { CelValue } from '../value/celvalue.ts'
import type { EvaluationContext } from './meter.ts'

/** A planned expression. Constants cost nothing; attributes can be gone into further before they are read. */
export interface EvaluationStep {
  readonly run: (c: EvaluationContext) => CelValue
  readonly attribute?: Attribute
  readonly constant?: { readonly value: CelValue }
}

/**
 * A variable or a computed value, and a path into it: `self.a[0].b`. It is read as a whole, and costs one for itself and
 * one for each part of the path; as a branch of a conditional it costs only its path.
 */
export interface Attribute {
  readonly free: boolean
  readonly resolve: (c: EvaluationContext) => CelValue
  readonly qualify: (q: Qualifier) => Attribute
}

/** One part of a path. Optional ones (`.?x`) end the path where there is nothing, tests (`has`) only ask. */
export interface Qualifier {
  readonly key: (c: EvaluationContext) => CelValue
  readonly optional: boolean
  readonly test: boolean
}

export const constantStep = (value: CelValue): EvaluationStep => ({ run: () => value, constant: { value } })
