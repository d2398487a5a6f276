// The face of this folder: what others import.
export {
  type CompiledExpression,
  compileReady,
  type ExpressionVerdict,
  ruleCel,
} from './compiledexpression.ts'
export {
  type ExpressionRule,
  expressionProblems,
  expressionRules,
  problemText,
  ruleFor,
  selectionHealth,
  textRule,
} from './expressionrule.ts'
export { type Health, healthOf, SUCCEEDED, waitingReason } from './health.ts'
export type { HealthText } from './healthexpression.ts'
export { kstatusOf } from './kstatus.ts'
