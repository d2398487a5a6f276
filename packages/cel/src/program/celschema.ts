import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  optionalOf,
  STRING,
  struct,
  TIMESTAMP,
} from '../type/celtype.ts'
import { escapedName } from './escapedname.ts'

/** An expression that objects have to satisfy. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  /** Which field below the one with the rule a finding is about: `.a['b']`. */
  readonly fieldPath?: string
  /** Whether `oldSelf` is an optional, and the rule runs where there is no old value too. */
  readonly optionalOldSelf?: boolean
}

/** As much of a structural schema as CEL looks at. */
export interface CelSchema {
  readonly type?: string
  readonly format?: string
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly items?: CelSchema
  readonly properties?: { readonly [name: string]: CelSchema }
  readonly additionalProperties?: CelSchema | boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/**
 * A schema as CEL sees it: the type, how large a value may be, and of what parts. `least` is how many bytes the smallest
 * value takes as JSON; from it follows how many of them fit into a request.
 */
export interface Declared {
  readonly type: CelType
  readonly schema?: CelSchema
  readonly max: number
  readonly least: number
  readonly key?: Declared
  readonly element?: Declared
  /** By the name that CEL has for a field, which is escaped. */
  readonly fields?: ReadonlyMap<string, Declared>
}

const REQUEST_BYTES = 3 * 1024 * 1024
const BYTES_PER_CODE_POINT = 4

/** A value of which nothing is known: it has the types that its JSON has. */
export const anything: Declared = { type: DYN, max: REQUEST_BYTES - 2, least: 1 }

/** The same as an optional, as `oldSelf` is where there may be no old object. */
export const optionally = (d: Declared): Declared => ({ ...d, type: optionalOf(d.type) })

const text = (type: CelType, max: number, least: number, schema: CelSchema): Declared => ({
  type,
  max,
  least,
  schema,
})
const KEY: Declared = { type: STRING, max: 0, least: 2 }
const META: CelSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
}

/** The schema with what every object has. */
export function asResource(s: CelSchema): CelSchema {
  const own = s.properties?.metadata?.properties
  const meta =
    own?.name?.type === 'string' && own.generateName?.type === 'string' ? s.properties!.metadata! : META
  const properties = {
    ...s.properties,
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: meta,
  }
  return { ...s, properties }
}

/** Declares a value of a schema, named for messages; undefined where CEL has no access to it: unknown fields. */
export function declared(s: CelSchema, name: string, isRoot = false): Declared | undefined {
  if (s['x-kubernetes-int-or-string']) return { ...anything, schema: s }
  const schema = isRoot ? asResource(s) : s
  if (schema.type === 'array') return declaredList(schema, name)
  if (schema.type === 'object') return declaredObject(schema, name)
  if (schema.type === 'string') return declaredText(schema)
  if (schema.type === 'boolean') return { type: BOOL, max: 0, least: 4, schema }
  if (schema.type === 'number') return { type: DOUBLE, max: 0, least: 1, schema }
  return schema.type === 'integer' ? { type: INT, max: 0, least: 1, schema } : undefined
}

const embedded = (s: CelSchema): boolean => s['x-kubernetes-embedded-resource'] === true

function declaredList(schema: CelSchema, name: string): Declared | undefined {
  const element = schema.items && declared(schema.items, `${name}.@idx`, embedded(schema.items))
  if (!element) return undefined
  const fitting = Math.floor((REQUEST_BYTES - 2) / (element.least + 1))
  return {
    type: listOf(element.type),
    max: atLeastZero(schema.maxItems ?? fitting),
    least: 2,
    element,
    schema,
  }
}

function declaredObject(schema: CelSchema, name: string): Declared | undefined {
  const { additionalProperties: values } = schema
  if (typeof values === 'object') {
    const element = declared(values, `${name}.@elem`, embedded(values))
    if (!element) return undefined
    const fitting = Math.floor((REQUEST_BYTES - 2) / (element.least + 6))
    const max = atLeastZero(schema.maxProperties ?? fitting)
    return { type: mapOf(STRING, element.type), max, least: 2, key: KEY, element, schema }
  }
  const fields = new Map<string, Declared>()
  let least = 2
  for (const [member, s] of Object.entries(schema.properties ?? {})) {
    const field = declared(s, `${name}.${member}`, embedded(s))
    if (!field) continue
    const escaped = escapedName(member)
    if (escaped !== undefined) fields.set(escaped, field)
    if (schema.required?.includes(member) && s.default === undefined) least += member.length + field.least + 4
  }
  const types = new Map([...fields].map(([member, field]) => [member, field.type]))
  return { type: struct(name, types), max: 0, least, fields, schema }
}

function declaredText(schema: CelSchema): Declared {
  const whole = REQUEST_BYTES - 2
  if (schema.format === 'byte') return text(BYTES, atLeastZero(schema.maxLength ?? whole), 2, schema)
  if (schema.format === 'duration') return text(DURATION, 32, 3, schema)
  if (schema.format === 'date') return text(TIMESTAMP, 12, 12, schema)
  if (schema.format === 'date-time') return text(TIMESTAMP, 32, 21, schema)
  if (schema.maxLength !== undefined)
    return text(STRING, atLeastZero(schema.maxLength) * BYTES_PER_CODE_POINT, 2, schema)
  if (!schema.enum?.length) return text(STRING, whole, 2, schema)
  return text(
    STRING,
    Math.max(0, ...schema.enum.map((v) => (typeof v === 'string' ? v.length : 0))),
    2,
    schema,
  )
}

const atLeastZero = (n: number): number => Math.max(0, n)
