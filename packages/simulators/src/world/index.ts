// The face of this folder: what others import.
export { type Delays, LIFELIKE, startWorld, type WorkloadFailure, type World } from './startworld.ts'
