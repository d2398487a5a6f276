/** Data of ConfigMaps and Secrets, whose values are texts. Pure. */

import {
  bytesToBase64,
  isArray,
  isObject,
  isSecret,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  setMember,
} from '@lockstep/kube/object'

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['data', 'binaryData'],
  Secret: ['data', 'stringData'],
}

const fieldsOf = ({ apiVersion, kind }: KubeObject): readonly string[] =>
  (apiVersion === 'v1' && Object.hasOwn(FIELDS, kind) && FIELDS[kind]) || []

/**
 * Values that a server refuses since they are not texts: `stringData.port: is a number; put it into quotes`. No problem shows a value.
 * Null is none: an absent field, or the empty text of a key.
 */
export function dataProblems(o: KubeObject): string[] {
  return fieldsOf(o).flatMap((field) => {
    const map = o[field] as JsonValue | undefined
    if (map === undefined || map === null) return []
    if (!isObject(map)) return [`${field}: is a ${typeText(map)}; write a map of keys to texts`]
    return Object.entries(map).flatMap(([key, value]) => {
      if (value === undefined || value === null || isString(value)) return []
      const action = typeof value === 'object' ? `write its text below "${key}: |"` : 'put it into quotes'
      return [`${field}.${key}: is a ${typeText(value)}; ${action}`]
    })
  })
}

const typeText = (value: JsonValue): string => {
  if (isArray(value)) return 'list'
  if (isObject(value)) return 'map'
  if (isString(value)) return 'text'
  return typeof value === 'boolean' ? 'boolean' : 'number'
}

/**
 * An object without data problems as servers store it: a key with null has an empty text, and `stringData` of a Secret replaces the
 * same keys of its data.
 */
export function canonicalData(o: KubeObject): KubeObject {
  const fields = fieldsOf(o)
  if (fields.length === 0) return o
  const out: { [key: string]: JsonValue | undefined } = { ...(o as unknown as JsonObject) }
  for (const field of fields) if (isObject(out[field])) out[field] = withEmptyTexts(out[field])
  return (isSecret(o) ? mergeStringData(out) : out) as unknown as KubeObject
}

const withEmptyTexts = (map: JsonObject): JsonObject => mapValues(map, (value) => value ?? '')

function mergeStringData({
  stringData,
  ...rest
}: {
  readonly [key: string]: JsonValue | undefined
}): JsonObject {
  if (!isObject(stringData)) return rest
  const encoder = new TextEncoder()
  const encoded = mapValues(stringData, (text) => bytesToBase64(encoder.encode(text as string)))
  return { ...rest, data: { ...(isObject(rest.data) ? rest.data : {}), ...encoded } }
}

function mapValues(map: JsonObject, of: (value: JsonValue | undefined) => JsonValue): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const [key, value] of Object.entries(map)) setMember(out, key, of(value))
  return out
}
