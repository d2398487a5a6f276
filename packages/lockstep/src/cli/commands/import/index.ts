// The face of this folder: what others import.
export { importCommand } from './import.ts'
