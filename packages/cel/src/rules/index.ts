// The face of this folder: what others import.
export { checkRules, pathText, type RuleProblem } from './checkrules.ts'
