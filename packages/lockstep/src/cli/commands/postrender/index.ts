// The face of this folder: what others import.
export { postRenderCommand } from './postrender.ts'
