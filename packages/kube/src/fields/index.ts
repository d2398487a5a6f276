/** Sets of field paths: the ownership that `metadata.managedFields` records. */
export * from './pathelement.ts'
export * from './fieldset.ts'
export * from './containsfields.ts'
export * from './missingfields.ts'
export * from './fieldsv1.ts'
