// The face of this folder: what others import.
export { drawField } from './drawfield.ts'
export { allBelow, fieldFacts, fieldsOf, findField, schemaField } from './schemafield.ts'
