import { z } from 'zod'
import { isArray, isObject, type JsonObject, type JsonValue } from '../object/json.ts'

/**
 * A zod schema as the structural schema of a CustomResourceDefinition. zod's own OpenAPI output is not acceptable
 * to an API server (unions with types inside, bounds of 2⁵³ on integers); this pass writes what apiextensions'
 * `validation.go` takes.
 */
export function structuralSchema(schema: z.ZodType): JsonObject {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' })
  return convert(json as unknown as JsonObject)
}

function convert(s: JsonObject): JsonObject {
  if (s.anyObject === true)
    return { ...described(s), type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  if (s.intOrString !== undefined)
    return {
      ...described(s),
      'x-kubernetes-int-or-string': true,
      pattern: s.intOrString,
      minimum: s.minimum ?? 0,
      ...(s.default === undefined ? {} : { default: s.default }),
      ...rules(s),
    }
  const out: { [key: string]: JsonValue | undefined } = {
    ...described(s),
    ...plain(s),
    ...lists(s),
    ...rules(s),
  }
  if (s.type === 'integer') Object.assign(out, integer(s))
  if (s.type === 'object') Object.assign(out, object(s))
  if (s.type === 'array' && isObject(s.items))
    out.items = { ...(hasFields(s.items) ? { description: 'Entry of the list.' } : {}), ...convert(s.items) }
  return out
}

/** An object has a description of its own, since `kubectl explain` shows it above the fields. */
const hasFields = (s: JsonObject): boolean => s.type === 'object' || s.anyObject === true

const described = (s: JsonObject): JsonObject =>
  s.description === undefined ? {} : { description: s.description }

const KEPT = [
  'type',
  'format',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
] as const

function plain(s: JsonObject): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of KEPT) if (s[key] !== undefined) out[key] = s[key]
  return out
}

function lists(s: JsonObject): JsonObject {
  return {
    ...(s.listType === undefined ? {} : { 'x-kubernetes-list-type': s.listType }),
    ...(s.mapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': s.mapKeys }),
  }
}

const INT32 = 2 ** 31 - 1

/** Bounds that only say "a JavaScript integer" are noise. */
function integer(s: JsonObject): JsonObject {
  const { minimum, maximum } = s
  const fitsInt32 = typeof maximum === 'number' && maximum <= INT32
  return {
    format: fitsInt32 ? 'int32' : 'int64',
    ...(typeof minimum === 'number' && minimum > -INT32 ? { minimum } : {}),
    ...(typeof maximum === 'number' && maximum < INT32 ? { maximum } : {}),
  }
}

function object(s: JsonObject): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = {}
  if (isObject(s.properties) && Object.keys(s.properties).length > 0) {
    const properties: { [key: string]: JsonValue } = {}
    for (const [name, value] of Object.entries(s.properties)) properties[name] = convert(value as JsonObject)
    out.properties = properties
  } else if (isObject(s.additionalProperties)) {
    out.additionalProperties = {
      ...(hasFields(s.additionalProperties) ? { description: 'Value of the key.' } : {}),
      ...convert(s.additionalProperties),
    }
  }
  if (isArray(s.required) && s.required.length > 0) out.required = s.required
  return out
}

/** What no type says: rules in CEL, which the server evaluates on every write. */
function rules(s: JsonObject): JsonObject {
  const all = [
    ...(isArray(s.exactlyOne) ? [exactlyOne(s.exactlyOne as readonly string[])] : []),
    ...(isArray(s.rules) ? s.rules : []),
  ]
  return all.length === 0 ? {} : { 'x-kubernetes-validations': all }
}

function exactlyOne(names: readonly string[]): JsonObject {
  const given = names.map((n) => `has(self.${celName(n)})`)
  const found = names.map((n, i) => `(${given[i]} ? ' ${n}' : '')`).join(' + ')
  const message = `exactly one of ${names.join(', ')}`
  return {
    rule: `[${given.join(', ')}].exists_one(given, given)`,
    message,
    messageExpression: `'${message}; found' + (${given.join(' || ')} ? ${found} : ' none')`,
  }
}

/** A field whose name is a word of CEL is written so there (`apiextensions`, CustomResourceDefinition validation rules). */
const celName = (field: string): string => (field === 'namespace' ? `__${field}__` : field)
