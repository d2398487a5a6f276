// The face of this folder: what others import.
export { eventsCommand } from './events.ts'
