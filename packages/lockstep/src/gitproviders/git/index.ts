// The face of this folder: what others import.
export { isPerson } from './commit.ts'
