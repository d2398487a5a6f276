// The face of this folder: what others import.
export { graphCommand } from './graph.ts'
