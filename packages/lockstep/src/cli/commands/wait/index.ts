// The face of this folder: what others import.
export { waitCommand } from './wait.ts'
