// The face of this folder: what others import.
export { BOOL, type CelType, DYN, INT, listOf, mapOf, NULL, STRING, struct } from './celtype.ts'
