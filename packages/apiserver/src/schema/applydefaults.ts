import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@lockstep/kube/object'
import { additional, ownProperty, propertiesWithDefault } from './ownproperty.ts'
import type { Resolve, Schema } from './schematypes.ts'

/**
 * Adds schema defaults (apiextensions-apiserver `schema/defaulting`). A null where the schema is not nullable counts as
 * absent: it becomes the default, or goes if there is none. A value that needs nothing is returned itself.
 */
export function applyDefaults(value: JsonValue, reference: Schema | undefined, resolve: Resolve): JsonValue {
  if (reference === undefined || value === null || typeof value !== 'object') return value
  const schema = resolve(reference)
  if (isArray(value)) return listDefaults(value, schema, resolve)
  return isObject(value) ? memberDefaults(value, schema, resolve) : value
}

function listDefaults(value: JsonArray, schema: Schema, resolve: Resolve): JsonValue {
  const items = schema.items
  if (items === undefined) return value
  let out: JsonValue[] | undefined
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as JsonValue
    const start = item === null && !items.nullable && items.default !== undefined ? items.default : item
    const done = applyDefaults(start, items, resolve)
    if (done === item) continue
    out ??= [...value]
    out[i] = done
  }
  return out ?? value
}

function memberDefaults(value: JsonObject, schema: Schema, resolve: Resolve): JsonValue {
  let out: { [key: string]: JsonValue | undefined } | undefined
  const change = (key: string, to: JsonValue | undefined): void => {
    out ??= copyOf(value)
    if (to === undefined) delete out[key]
    else setMember(out, key, to)
  }
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    const sub = ownProperty(schema, key) ?? additional(schema)
    if (sub === undefined) continue
    if (member === null && !isNullable(sub, resolve)) {
      change(key, sub.default === undefined ? undefined : applyDefaults(sub.default, sub, resolve))
      continue
    }
    const done = applyDefaults(member, sub, resolve)
    if (done !== member) change(key, done)
  }
  for (const key of propertiesWithDefault(schema)) {
    if (Object.hasOwn(value, key) && value[key] !== undefined) continue
    const sub = ownProperty(schema, key) as Schema
    change(key, applyDefaults(sub.default as JsonValue, sub, resolve))
  }
  return out ?? value
}

const isNullable = (s: Schema, resolve: Resolve): boolean =>
  s.nullable === true || (s.$ref !== undefined && resolve(s).nullable === true)

function copyOf(value: JsonObject): { [key: string]: JsonValue | undefined } {
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(value)) setMember(out, key, value[key])
  return out
}
