/** Schemas: of custom resources, of their definitions, of built-in kinds. */
export * from './builtins.ts'
export { compileSchema } from './compile.ts'
export { checkCrdSchema } from './crdschema.ts'
export * from './fielderror.ts'
export { objectMetaSchema } from './objectmeta.ts'
export { compilePattern, matchesPattern } from './pattern.ts'
export type * from './types.ts'
