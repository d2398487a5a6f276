import {
  base64ToBytes,
  bytesToBase64,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  setMember,
} from '@lockstep/kube/object'
import { type CelValue, failure, is, type ListValue, type MapValue } from '../value/celvalue.ts'
import { durationText, parseDuration } from '../value/parseduration.ts'
import { parseDate, parseTimestamp, timestampText } from '../value/parsetimestamp.ts'
import { anything, type Declared } from './celschema.ts'
import { escapedName, unescapedName } from './escapedname.ts'

/**
 * The CEL value of a JSON value: by its schema, so that whole numbers are ints or doubles as declared. Members are
 * converted when they are asked for. What does not fit its schema is an error when it is used.
 */
export function fromJson(json: JsonValue | undefined, d: Declared = anything): CelValue {
  if (d.schema === undefined) return naturally(json)
  if (json === null || json === undefined)
    return d.schema.nullable ? null : failure('invalid data, got null for schema with nullable=false')
  if (d.schema['x-kubernetes-int-or-string']) {
    const whole = typeof json === 'string' ? json : integer(json)
    return whole ?? failure('invalid data, expected XIntOrString value to be either a string or integer')
  }
  if (d.schema.type === 'object') return isObject(json) ? objectValue(json, d) : wrong('a map', 'object')
  if (d.schema.type === 'array') return isArray(json) ? listValue(json, d) : wrong('an array', 'array')
  return scalar(json, d)
}

const wrong = (expected: string, type: string): CelValue =>
  failure(`invalid data, expected ${expected} for the provided schema with type=${type}`)

function integer(json: JsonValue): bigint | undefined {
  if (typeof json === 'bigint') return json
  return Number.isSafeInteger(json) ? BigInt(json as number) : undefined
}

function scalar(json: JsonValue, d: Declared): CelValue {
  const { type, format } = d.schema!
  if (type === 'string')
    return typeof json === 'string' ? text(json, format) : failure('invalid data, expected string')
  if (type === 'integer') return integer(json) ?? failure('invalid data, expected int')
  if (type === 'boolean') return typeof json === 'boolean' ? json : failure('invalid data, expected a bool')
  return typeof json === 'number' || typeof json === 'bigint'
    ? Number(json)
    : failure('invalid data, expected float')
}

function text(json: string, format: string | undefined): CelValue {
  if (format === 'duration') return parseDuration(json) ?? failure(`Invalid duration ${json}`)
  if (format === 'date') return parseDate(json) ?? failure(`Invalid date formatted string ${json}`)
  if (format === 'date-time')
    return parseTimestamp(json) ?? failure(`Invalid date-time formatted string ${json}`)
  return format === 'byte' ? base64ToBytes(json) : json
}

function listValue(json: readonly JsonValue[], d: Declared): ListValue {
  const items = json.map((item) => fromJson(item, d.element))
  const merge = d.schema!['x-kubernetes-list-type']
  const keys = d.schema!['x-kubernetes-list-map-keys']
  if (merge === 'set') return { kind: 'list', items, merge }
  return merge === 'map' && keys ? { kind: 'list', items, merge: keys } : { kind: 'list', items }
}

const definedNames = (json: JsonObject): string[] =>
  Object.keys(json).filter((name) => json[name] !== undefined)

function objectValue(json: JsonObject, d: Declared): MapValue {
  const { fields, element } = d
  const declaredAs = (name: string): Declared | undefined => (fields ? fieldOf(fields, name) : element)
  let converted: Map<string, CelValue> | undefined
  const find = (name: string): CelValue | undefined => {
    const known = converted?.get(name)
    if (known !== undefined) return known
    const value = member(json, name)
    const type = value === undefined || (fields && value === null) ? undefined : declaredAs(name)
    if (!type) return undefined
    const made = fromJson(value, type)
    converted ??= new Map()
    converted.set(name, made)
    return made
  }
  return {
    kind: 'map',
    get size() {
      return definedNames(json).length
    },
    find: (key) => {
      const name = typeof key !== 'string' ? undefined : fields ? unescapedName(key) : key
      return name === undefined ? undefined : find(name)
    },
    keys: () =>
      definedNames(json)
        .filter((n) => declaredAs(n))
        .map((n) => (fields ? (escapedName(n) ?? n) : n)),
    *members() {
      for (const name of definedNames(json)) {
        const type = declaredAs(name)
        yield [name, type && fromJson(json[name], type)] as const
      }
    },
  }
}

function fieldOf(fields: ReadonlyMap<string, Declared>, name: string): Declared | undefined {
  const escaped = escapedName(name)
  return escaped === undefined ? undefined : fields.get(escaped)
}

/** Without a schema a number is an int if it is whole. */
function naturally(json: JsonValue | undefined): CelValue {
  if (json === undefined || json === null) return null
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json
  if (isArray(json)) return { kind: 'list', items: json.map((item) => naturally(item)) }
  if (isObject(json)) return objectValue(json, { ...anything, element: anything })
  return json
}

/** The JSON of a CEL value, as the API server prints it; undefined for what has none: types, errors, values of libraries. */
export function toJson(v: CelValue): JsonValue | undefined {
  if (typeof v === 'bigint') return Number.isSafeInteger(Number(v)) ? Number(v) : v
  if (typeof v === 'number') return Number.isFinite(v) ? v : String(v)
  if (v === null || typeof v !== 'object') return v
  if (v instanceof Uint8Array) return bytesToBase64(v)
  if (is(v, 'uint')) return toJson(v.value)
  if (is(v, 'timestamp')) return timestampText(v)
  if (is(v, 'duration')) return durationText(v)
  if (is(v, 'optional')) return v.value === undefined ? null : toJson(v.value)
  if (is(v, 'list')) return v.items.map((item) => toJson(item) ?? null)
  return is(v, 'map') ? objectJson(v) : undefined
}

function objectJson(v: MapValue): JsonObject {
  const out: { [name: string]: JsonValue | undefined } = {}
  for (const key of v.keys())
    setMember(out, is(key, 'uint') ? String(key.value) : String(key), toJson(v.find(key)!))
  return out
}
