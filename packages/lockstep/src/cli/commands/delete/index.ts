// The face of this folder: what others import.
export { deleteCommand } from './delete.ts'
