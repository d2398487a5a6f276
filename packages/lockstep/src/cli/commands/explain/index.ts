// The face of this folder: what others import.
export { explainCommand } from './explain.ts'
