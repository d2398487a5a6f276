// The face of this folder: what others import.
export { upCommand } from './up.ts'
