// The face of this folder: what others import.
export { budgetController } from './budgetcontroller.ts'
