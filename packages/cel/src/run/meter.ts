import type { CelValue } from '../value/celvalue.ts'

/** What one evaluation has spent, and may: the unit is kube-apiserver's. */
export interface Meter {
  spent: number
  /** Items that were copied and compared, which costs little or nothing: so that it ends all the same. */
  work: number
  readonly limit: number
}

/** Where an expression is evaluated: the values of its variables, by the slots that planning gave them. */
export interface EvaluationContext {
  readonly slots: (CelValue | undefined)[]
  readonly meter: Meter
}

/** Once the limit is passed nothing is added: what was spent stays what it was when the evaluation was stopped. */
export function charge(c: EvaluationContext, units: number): void {
  if (c.meter.spent <= c.meter.limit) c.meter.spent += units
}

export const exhausted = (c: EvaluationContext): boolean => c.meter.spent > c.meter.limit

const MOST_WORK = 20_000_000

/**
 * Joining lists is one unit whatever their size, and comparing them looks at their length alone, not at what is in them.
 * Who makes work without end by that is stopped as who spends without end.
 */
export function chargeWork(c: EvaluationContext, items: number): void {
  c.meter.work += items
  if (c.meter.work > MOST_WORK && !exhausted(c)) c.meter.spent = c.meter.limit + 1
}
