// The face of this folder: what others import.
export { planCommand } from './plan.ts'
