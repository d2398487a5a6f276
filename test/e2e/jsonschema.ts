/** JSON Schema (draft 4) as far as the schema of SARIF goes; a keyword that is not known here fails. */
import { isDeepStrictEqual } from 'node:util'
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../packages/kube/src/object/index.ts'

const SILENT = ['$schema', '$comment', 'id', 'definitions', 'default', 'format']

const TYPES: Readonly<Record<string, (v: JsonValue) => boolean>> = {
  object: isObject,
  array: isArray,
  string: (v) => typeof v === 'string',
  integer: (v) => Number.isInteger(v),
  number: (v) => typeof v === 'number',
  boolean: (v) => typeof v === 'boolean',
  null: (v) => v === null,
}

/** Everything that is wrong with a value, with its place. */
export function schemaProblems(root: JsonObject, value: JsonValue): string[] {
  const look = (schema: JsonObject, v: JsonValue, path: string): string[] =>
    Object.entries(schema).flatMap(([keyword, wanted]) => {
      if (SILENT.includes(keyword) || wanted === undefined) return []
      const check = KEYWORDS[keyword]
      return check ? check(wanted, v, path, schema) : [`${path}: ${keyword} is not known here`]
    })
  const each = (schemas: JsonValue, v: JsonValue, path: string) =>
    (schemas as unknown as JsonObject[]).filter((s) => look(s, v, path).length === 0).length
  const KEYWORDS: Readonly<
    Record<string, (wanted: JsonValue, v: JsonValue, path: string, schema: JsonObject) => string[]>
  > = {
    $ref: (ref, v, path) => look(at(root, ...String(ref).slice(2).split('/')) as JsonObject, v, path),
    type: (types, v, path) =>
      [types].flat().some((t) => TYPES[String(t)]?.(v))
        ? []
        : [`${path}: is no ${[types].flat().join(', ')}`],
    enum: (list, v, path) =>
      (list as JsonValue[]).includes(v) ? [] : [`${path}: ${String(v)} is none of ${String(list)}`],
    required: (names, v, path) =>
      (names as string[]).flatMap((n) =>
        !isObject(v) || v[n] !== undefined ? [] : [`${path}: has no ${n}`],
      ),
    properties: (all, v, path) =>
      Object.entries(all as JsonObject).flatMap(([n, s]) => {
        const there = at(v, n)
        return there === undefined ? [] : look(s as JsonObject, there, `${path}.${n}`)
      }),
    additionalProperties: (rest, v, path, schema) =>
      Object.keys(isObject(v) ? v : {}).flatMap((n) => {
        if (at(schema, 'properties', n) !== undefined || rest === true) return []
        return rest === false ? [`${path}: has ${n}`] : look(rest as JsonObject, at(v, n)!, `${path}.${n}`)
      }),
    items: (s, v, path) => (isArray(v) ? v.flatMap((x, i) => look(s as JsonObject, x, `${path}[${i}]`)) : []),
    minItems: (n, v, path) =>
      isArray(v) && v.length < Number(n) ? [`${path}: has fewer than ${n} items`] : [],
    uniqueItems: (yes, v, path) =>
      yes && isArray(v) && v.some((x, i) => v.slice(0, i).some((y) => isDeepStrictEqual(x, y)))
        ? [`${path}: has an item twice`]
        : [],
    minimum: (n, v, path) =>
      typeof v === 'number' && v < Number(n) ? [`${path}: ${v} is less than ${n}`] : [],
    maximum: (n, v, path) =>
      typeof v === 'number' && v > Number(n) ? [`${path}: ${v} is more than ${n}`] : [],
    pattern: (p, v, path) =>
      typeof v === 'string' && !new RegExp(String(p)).test(v) ? [`${path}: ${v} does not match ${p}`] : [],
    anyOf: (schemas, v, path) => (each(schemas, v, path) > 0 ? [] : [`${path}: fits none of anyOf`]),
    oneOf: (schemas, v, path) =>
      each(schemas, v, path) === 1 ? [] : [`${path}: does not fit exactly one of oneOf`],
  }
  return look(root, value, '$')
}
