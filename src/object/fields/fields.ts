/** Sets of field paths: the ownership that `metadata.managedFields` records. */
export * from './element.ts'
export * from './fieldset.ts'
export * from './held.ts'
export * from './match.ts'
export * from './serialize.ts'
