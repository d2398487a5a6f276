import { isArray, isObject, type JsonValue } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import type { Schema, SchemaOps } from '../schema/schematypes.ts'
import { canonicalQuantity } from './canonicalquantity.ts'

const QUANTITY = 'api.resource.Quantity'

/** Which definitions hold quantities somewhere below: others are not walked. The definitions are the same for all. */
const holders = new Map<string, boolean>()

/** Brings all quantities of a built-in object into their canonical form, in place: a draft belongs to its maker. */
export function canonicalQuantities(ops: SchemaOps, draft: ObjectDraft): void {
  if (ops.schema) walk(ops, ops.schema, draft)
}

function walk(ops: SchemaOps, schema: Schema, value: JsonValue): JsonValue {
  if (schema.$ref === QUANTITY) return canonical(value)
  if (!holds(ops, schema)) return value
  const here = ops.resolve(schema)
  if (isArray(value)) {
    const list = value as JsonValue[]
    if (here.items) for (const [i, v] of list.entries()) list[i] = walk(ops, here.items, v)
  } else if (isObject(value)) {
    const map = value as ObjectDraft
    const rest = typeof here.additionalProperties === 'object' ? here.additionalProperties : undefined
    for (const name of Object.keys(map)) {
      const field = here.properties && Object.hasOwn(here.properties, name) ? here.properties[name] : rest
      const v = map[name]
      if (field && v !== undefined && v !== null) map[name] = walk(ops, field, v)
    }
  }
  return value
}

function canonical(value: JsonValue): JsonValue {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return value
  return canonicalQuantity(String(value)) ?? value
}

function holds(ops: SchemaOps, schema: Schema): boolean {
  if (schema.$ref === QUANTITY) return true
  if (schema.$ref !== undefined) {
    const known = holders.get(schema.$ref)
    if (known !== undefined) return known
    // A definition that refers to itself holds what its other members hold.
    holders.set(schema.$ref, false)
    const found = parts(ops.resolve(schema)).some((s) => holds(ops, s))
    holders.set(schema.$ref, found)
    return found
  }
  return parts(schema).some((s) => holds(ops, s))
}

function parts(s: Schema): Schema[] {
  const rest = typeof s.additionalProperties === 'object' ? [s.additionalProperties] : []
  return [...Object.values(s.properties ?? {}), ...(s.items ? [s.items] : []), ...rest]
}
