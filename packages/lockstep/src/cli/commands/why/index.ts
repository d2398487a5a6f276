// The face of this folder: what others import.
export { whyCommand } from './why.ts'
