// The face of this folder: what others import.
export { renderCommand } from './render.ts'
