// The face of this folder: what others import.
export { allCommands, commandsFor } from './registry.ts'
