// The face of this folder: what others import.
export { type Manager, startManager } from './manager.ts'
