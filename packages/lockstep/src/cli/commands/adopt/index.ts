// The face of this folder: what others import.
export { adoptCommand } from './adopt.ts'
