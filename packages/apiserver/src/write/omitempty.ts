import { isArray, isObject, type JsonValue } from '@lockstep/kube/object'
import { additional, ownProperty } from '../schema/ownproperty.ts'
import type { Resolve, Schema } from '../schema/schematypes.ts'

type MutableObject = { [key: string]: JsonValue | undefined }

/** Lists that mean something when nothing is in them: Go writes `rules` always, an empty `managedFields` resets them. */
const MEANT: ReadonlySet<string> = new Set(['rules', 'managedFields'])

/**
 * Go's `omitempty`: objects of built-in kinds have no empty lists and maps, unless they are required. What has members
 * of its own (`emptyDir: {}`, `resources: {}`) stays. Changes the draft.
 */
export function omitEmpty(value: JsonValue, reference: Schema | undefined, resolve: Resolve): void {
  const schema = reference && resolve(reference)
  if (!schema) return
  if (isArray(value)) {
    if (schema.items) for (const item of value) omitEmpty(item, schema.items, resolve)
    return
  }
  if (!isObject(value)) return
  const draft = value as MutableObject
  for (const key of Object.keys(draft)) {
    const member = draft[key]
    if (typeof member !== 'object' || member === null) continue
    const known = ownProperty(schema, key) ?? additional(schema)
    if (!known) continue
    if (isEmpty(member, resolve(known)) && !isKept(schema, key)) delete draft[key]
    else omitEmpty(member, known, resolve)
  }
}

function isEmpty(value: JsonValue, schema: Schema): boolean {
  if (isArray(value)) return value.length === 0
  if (!isObject(value) || additional(schema) === undefined) return false
  for (const key in value) if (value[key] !== undefined) return false
  return true
}

/** Also members of a map: `a: []` under additionalProperties was said by somebody. */
const isKept = (schema: Schema, key: string): boolean =>
  MEANT.has(key) || schema.required?.includes(key) === true || ownProperty(schema, key) === undefined
