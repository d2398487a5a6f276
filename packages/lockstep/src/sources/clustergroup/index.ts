// The face of this folder: what others import.
export { splitCompanions } from './splitcompanions.ts'
