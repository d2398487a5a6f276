// The face of this folder: what others import.
export { diffCommand } from './diff.ts'
