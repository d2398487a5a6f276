// The face of this folder: what others import.
export { rightsCommand } from './rights.ts'
