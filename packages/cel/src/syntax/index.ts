// The face of this folder: what others import.
export type { CelExpr } from './celexpr.ts'
export { type CelProblem, detailOf, renderProblems } from './celproblem.ts'
export { parseExpression } from './parseexpression.ts'
