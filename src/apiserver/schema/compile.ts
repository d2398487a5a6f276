import type { JsonValue } from '../../object/object.ts'
import { noReferences } from './access.ts'
import { applyDefaults } from './defaults.ts'
import { checkEmbedded } from './embedded.ts'
import { checkLists } from './lists.ts'
import { pruner } from './prune.ts'
import type { FieldError, Resolve, Schema, SchemaOps } from './types.ts'
import { checkValue } from './validate.ts'

/**
 * The operations on values of one schema. Make them once a schema and share them: what is derived from a schema is kept
 * with it. Without a schema everything is kept and everything is valid.
 */
export function compileSchema(schema: Schema | undefined, resolve: Resolve = noReferences): SchemaOps {
  if (schema === undefined) return KEEP_ALL
  const prune = pruner(schema, resolve)
  const validateSchema = (value: JsonValue, old?: JsonValue): FieldError[] =>
    checkValue(schema, value, resolve, old)
  const validateInvariants = (value: JsonValue): FieldError[] => [
    ...checkEmbedded(schema, value, resolve),
    ...checkLists(schema, value, resolve),
  ]
  return {
    schema,
    resolve,
    prune,
    defaults: (value) => applyDefaults(value, schema, resolve),
    validateSchema,
    validateInvariants,
    validate: (value, old) => [...validateSchema(value, old), ...validateInvariants(value)],
  }
}

const KEEP_ALL: SchemaOps = {
  schema: undefined,
  resolve: noReferences,
  prune: (value) => ({ value, dropped: [] }),
  defaults: (value) => value,
  validate: () => [],
  validateSchema: () => [],
  validateInvariants: () => [],
}
