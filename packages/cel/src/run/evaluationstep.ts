import type { Value } from '../value/celvalue.ts'
import type { Context } from './meter.ts'

/** A planned expression. Constants cost nothing; attributes can be gone into further before they are read. */
export interface Step {
  readonly run: (c: Context) => Value
  readonly attribute?: Attribute
  readonly constant?: { readonly value: Value }
}

/**
 * A variable or a computed value, and a path into it: `self.a[0].b`. It is read as a whole, and costs one for itself and
 * one for each part of the path; as a branch of a conditional it costs only its path.
 */
export interface Attribute {
  readonly free: boolean
  readonly resolve: (c: Context) => Value
  readonly qualify: (q: Qualifier) => Attribute
}

/** One part of a path. Optional ones (`.?x`) end the path where there is nothing, tests (`has`) only ask. */
export interface Qualifier {
  readonly key: (c: Context) => Value
  readonly optional: boolean
  readonly test: boolean
}

export const constantStep = (value: Value): Step => ({ run: () => value, constant: { value } })
