/** The health of an object on the unit's cluster, as the module has it told. Pure. */
import { type Health, healthOf } from '../core/health/health.ts'
import { type ExpressionRule, expressionRules, ruleFor } from '../core/health/rules.ts'
import type { KubeObject } from '../object/object.ts'
import type { UnitInput } from './state.ts'

/** The module's expression that decides about it; undefined: the rules of its kind do. */
export const expressionFor = (
  o: KubeObject,
  { health }: Pick<UnitInput, 'health'>,
): ExpressionRule | undefined => ruleFor(expressionRules(health.expressions), o)

export function seenHealth(o: KubeObject, input: UnitInput): Health {
  return healthOf(o, input.now, expressionFor(o, input), input.health.profile)
}
