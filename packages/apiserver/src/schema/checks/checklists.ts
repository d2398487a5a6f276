import {
  canonicalJson,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  member,
} from '@lockstep/kube/object'
import { duplicate, invalid } from '../invalidfield.ts'
import { additional, ownProperty } from '../ownproperty.ts'
import type { FieldError, Resolve, Schema } from '../schematypes.ts'

/** Sets have no member twice and lists of type `map` no key twice (apiextensions-apiserver `schema/listtype`). */
export function checkLists(schema: Schema, value: JsonValue, resolve: Resolve): FieldError[] {
  const out: FieldError[] = []
  walk(schema, value, '', resolve, out)
  return out
}

function walk(reference: Schema, value: JsonValue, path: string, resolve: Resolve, out: FieldError[]): void {
  if (value === null || typeof value !== 'object') return
  const s = resolve(reference)
  if (isArray(value)) list(s, value, path, resolve, out)
  if (!isObject(value)) return
  const others = additional(s)
  for (const key of Object.keys(value)) {
    const sub = value[key]
    if (sub === undefined || sub === null || typeof sub !== 'object') continue
    const own = ownProperty(s, key)
    if (own) walk(own, sub, path === '' ? key : `${path}.${key}`, resolve, out)
    else if (others) walk(others, sub, `${path}[${key}]`, resolve, out)
  }
}

function list(s: Schema, value: JsonArray, path: string, resolve: Resolve, out: FieldError[]): void {
  if (s['x-kubernetes-list-type'] === 'set') {
    for (const i of repeated(value)) out.push(duplicate(`${path}[${i}]`, value[i] as JsonValue))
  } else if (s['x-kubernetes-list-type'] === 'map') mapKeys(s, value, path, out)
  if (!s.items) return
  for (let i = 0; i < value.length; i++) walk(s.items, value[i] as JsonValue, `${path}[${i}]`, resolve, out)
}

function mapKeys(s: Schema, value: JsonArray, path: string, out: FieldError[]): void {
  const wrong = value.findIndex((v) => v !== null && !isObject(v))
  if (wrong >= 0) {
    const text = 'must be an object for an array of list-type map'
    out.push(invalid(`${path}[${wrong}]`, value[wrong], text))
    return
  }
  const keys = value.map((v) => keyOf(v, s['x-kubernetes-list-map-keys'] ?? []))
  for (const i of repeated(keys)) out.push(duplicate(`${path}[${i}]`, keys[i] as JsonValue))
}

/** The keys that an item has; defaults are in the item already. */
function keyOf(item: JsonValue, names: readonly string[]): JsonObject {
  const out: { [name: string]: JsonValue } = {}
  for (const name of names) {
    const v = member(item, name)
    if (v !== undefined) out[name] = v
  }
  return out
}

/** Index of the second appearance of each value that appears more than once. */
function repeated(values: readonly JsonValue[]): number[] {
  if (values.length < 2) return []
  const times = new Map<string, number>()
  const out: number[] = []
  values.forEach((v, i) => {
    const key = canonicalJson(v)
    const n = times.get(key) ?? 0
    times.set(key, n + 1)
    if (n === 1) out.push(i)
  })
  return out
}
