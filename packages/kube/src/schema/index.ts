// The face of this folder: what others import.
export { structuralSchema } from './structuralschema.ts'
