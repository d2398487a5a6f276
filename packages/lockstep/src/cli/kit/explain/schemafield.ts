/** A field of one of our kinds, as its schema has it: found by its path, described in facts. Pure. */

import type { Result } from '@lockstep/kube/env'
import { at, isArray, isObject, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import { z } from 'zod'
import { crdOf } from '../../../api/crd/index.ts'
import type { OwnKind } from '../../../api/kinds/index.ts'
import { type CliFailure, failed } from '../index.ts'
import { nearest } from '../terminal/index.ts'

export const schemaField = z.strictObject({
  path: z.string().describe('Path from the kind, such as module.spec.release.'),
  type: z.string(),
  required: z.boolean(),
  description: z.string().optional(),
  default: z.json().optional(),
  limits: z.array(z.string()).readonly().describe('Limits of the value.'),
})
export type SchemaField = Readonly<z.output<typeof schemaField>>

/** A place in a schema. */
export interface SchemaNode {
  readonly kind: OwnKind
  readonly path: readonly string[]
  readonly schema: JsonObject
  readonly required: boolean
}

const text = (description: string): JsonObject => ({ type: 'string', description })
const words = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
})

/** Those that people write; the definition of a kind leaves them to the server. */
const METADATA: JsonObject = {
  type: 'object',
  description: 'Standard metadata of an object, such as name and namespace.',
  required: ['name'],
  properties: {
    name: text('Name, unique for its kind in the namespace.'),
    namespace: text('Namespace; by default that of the command or the context.'),
    labels: words('Labels, which selectors match.'),
    annotations: words('Annotations, which selectors do not match.'),
    finalizers: {
      type: 'array',
      description: 'Finalizers that must end before a terminating object is deleted.',
      items: { type: 'string' },
    },
  },
}

/** The whole kind. */
export function rootOf(kind: OwnKind): SchemaNode {
  const own = at(crdOf(kind), 'spec', 'versions', 0, 'schema', 'openAPIV3Schema') as JsonObject
  const properties = {
    apiVersion: text(`Always ${kind.group}/${kind.version}.`),
    kind: text(`Always ${kind.kind}.`),
    metadata: METADATA,
    spec: { description: 'Desired state.', ...(at(own, 'properties', 'spec') as JsonObject) },
    ...(kind.status
      ? {
          status: {
            description: 'Observed state; written by controllers.',
            ...(at(own, 'properties', 'status') as JsonObject),
          },
        }
      : {}),
  }
  const required = ['apiVersion', 'kind', 'metadata', ...((own.required as string[] | undefined) ?? [])]
  return { kind, path: [], schema: { ...own, properties, required }, required: true }
}

const FREE = 'x-kubernetes-preserve-unknown-fields'

/** The schema of what an object or the items of a list look like inside. */
function inner(schema: JsonObject): JsonObject {
  let here = schema
  while (here.type === 'array' && isObject(here.items)) here = here.items
  return here
}

/** The fields below a place, in the order of the schema. */
export function fieldsOf(f: SchemaNode): SchemaNode[] {
  const { properties, required } = inner(f.schema)
  if (!isObject(properties)) return []
  const needed = isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => ({
    kind: f.kind,
    path: [...f.path, name],
    schema: schema as JsonObject,
    required: needed.includes(name),
  }))
}

/** Everything below a place, parents first. */
export const allBelow = (f: SchemaNode): SchemaNode[] => fieldsOf(f).flatMap((x) => [x, ...allBelow(x)])

/** The field at a path, or what was probably meant. */
export function findField(kind: OwnKind, path: readonly string[]): Result<SchemaNode, CliFailure> {
  let here = rootOf(kind)
  for (const name of path) {
    const known = fieldsOf(here)
    const next = known.find((f) => f.path[f.path.length - 1] === name) ?? unnamed(here, name)
    if (!next) return unknown(here, name, known)
    here = next
  }
  return { ok: true, value: here }
}

/** A key of a map, or a field of what may have any. */
function unnamed(f: SchemaNode, name: string): SchemaNode | undefined {
  const schema = inner(f.schema)
  const values = schema.additionalProperties
  const path = [...f.path, name]
  if (isObject(values)) return { kind: f.kind, path, schema: values, required: false }
  return schema[FREE] === true
    ? {
        kind: f.kind,
        path,
        schema: { [FREE]: true, description: 'Schema of the other object.' },
        required: false,
      }
    : undefined
}

function unknown(f: SchemaNode, name: string, known: readonly SchemaNode[]) {
  const names = known.map((k) => k.path[k.path.length - 1]!)
  const meant = nearest(name, names)
  const suggestion = meant
    ? `did you mean ${pathText({ ...f, path: [...f.path, meant] })}?`
    : names.length > 0
      ? `fields: ${names.join(', ')}`
      : `${pathText(f)} is ${withArticle(typeOf(f.schema))} and has no fields`
  return failed('E_FIELD_UNKNOWN', { ref: f.kind.kind, field: [...f.path, name].join('.'), suggestion })
}

const withArticle = (word: string): string => `${/^[aeiou]/i.test(word) ? 'an' : 'a'} ${word}`

export const pathText = (f: Pick<SchemaNode, 'kind' | 'path'>): string =>
  [f.kind.singular, ...f.path].join('.')

export function typeOf(s: JsonObject): string {
  if (s['x-kubernetes-int-or-string'] === true) return 'integer or string'
  if (s[FREE] === true) return 'any'
  if (s.type === 'array') return `[]${typeOf(isObject(s.items) ? s.items : {})}`
  if (s.type === 'object')
    return isObject(s.additionalProperties) ? `map[string]${typeOf(s.additionalProperties)}` : 'Object'
  return String(s.type)
}

export function fieldFacts(f: SchemaNode): SchemaField {
  const { schema } = f
  return {
    path: pathText(f),
    type: typeOf(schema),
    required: f.required,
    ...(typeof schema.description === 'string' ? { description: schema.description } : {}),
    ...(schema.default === undefined ? {} : { default: schema.default as SchemaField['default'] }),
    limits: limitsOf(schema),
  }
}

function limitsOf(s: JsonObject): string[] {
  const range = (least: JsonValue | undefined, most: JsonValue | undefined, what: string): string[] =>
    least === undefined && most === undefined
      ? []
      : [
          `${least ?? ''}${least !== undefined && most !== undefined ? ' to ' : least === undefined ? 'at most ' : ' or more'}${most ?? ''}${what}`,
        ]
  const rules = s['x-kubernetes-validations']
  const nested = s.type === 'array' && isObject(s.items) ? limitsOf(s.items).map((l) => `each: ${l}`) : []
  return [
    ...(isArray(s.enum) ? [`one of ${s.enum.join(', ')}`] : []),
    ...range(s.minimum, s.maximum, ''),
    ...range(s.minLength, s.maxLength, ' characters'),
    ...range(s.minItems, s.maxItems, ' items'),
    ...(typeof s.pattern === 'string' ? [`matches ${s.pattern}`] : []),
    ...(typeof s.format === 'string' && s.type === 'string' ? [s.format] : []),
    ...(isArray(rules) ? rules.map(ruleText) : []),
    ...(isArray(s['x-kubernetes-list-map-keys'])
      ? [`unique by ${s['x-kubernetes-list-map-keys'].join(', ')}`]
      : []),
    ...nested,
  ]
}

/** What a rule says, behind the field that it is about. */
function ruleText(rule: JsonValue): string {
  const field = at(rule, 'fieldPath')
  return `${typeof field === 'string' ? `${field.slice(1)}: ` : ''}${String(at(rule, 'message'))}`
}
