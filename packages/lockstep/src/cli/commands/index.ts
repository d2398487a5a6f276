// The face of this folder: what others import.
export { type FormerName, formerCommand, formerFlag } from './formername.ts'
export { allCommands, commandNames, commandsFor } from './registry.ts'
