// The face of this folder: what others import.
export { getCommand } from './get.ts'
