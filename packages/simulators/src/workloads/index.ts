// The face of this folder: what others import.
export { isReadyMachine, machineDefinitions } from './machines.ts'
