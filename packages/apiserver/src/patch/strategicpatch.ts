import { ok, type Result } from '@lockstep/kube/env'
import {
  isArray,
  isObject,
  isString,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@lockstep/kube/object'
import type { Schema, SchemaOps } from '../schema/schematypes.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, internal } from '../status/apifailure.ts'
import { inListOrder, withoutValues } from './listorder.ts'

type Map = { [k: string]: JsonValue | undefined }
type PatchSchema = (schema: Schema | undefined, name: string) => Schema | undefined

const DELETE_FROM = '$deleteFromPrimitiveList/'
const ORDER = '$setElementOrder/'

class PatchError extends Error {
  readonly failure: ApiFailure
  constructor(failure: ApiFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Strategic merge patch of a built-in kind (apimachinery pkg/util/strategicpatch). */
export function applyStrategicPatch(
  ops: SchemaOps,
  base: JsonValue,
  patch: JsonObject,
): Result<JsonValue, ApiFailure> {
  const look: PatchSchema = (schema, name) => {
    const here = schema && ops.resolve(schema)
    const own = here?.properties && Object.hasOwn(here.properties, name) ? here.properties[name] : undefined
    return own ?? (typeof here?.additionalProperties === 'object' ? here.additionalProperties : undefined)
  }
  try {
    return ok(
      mergeMap(isObject(base) ? base : {}, patch, ops.schema, { look, items: (s) => ops.resolve(s).items }),
    )
  } catch (e) {
    if (e instanceof PatchError) return { ok: false, error: e.failure }
    throw e
  }
}

interface Schemas {
  readonly look: PatchSchema
  readonly items: (s: Schema) => Schema | undefined
}

function mergeMap(base: JsonObject, patch: JsonObject, schema: Schema | undefined, s: Schemas): JsonObject {
  const directive = patch.$patch
  if (directive === 'replace') return withoutDirectives(patch)
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge')
    throw new PatchError(badRequest(`unknown patch type found: ${String(directive)}`))
  const out = retained(base, patch)
  for (const [key, order] of directives(patch, ORDER)) {
    const field = s.look(schema, key)
    if (!isArray(order)) throw new PatchError(badRequest('incorrect setElementOrder type'))
    const before = isArray(out[key]) ? (out[key] as JsonArray) : undefined
    const given = isArray(patch[key]) ? (patch[key] as JsonArray) : undefined
    if (!before && !given) continue
    const merged = given ? mergeList(before ?? [], given, field, s) : (before as JsonArray)
    setMember(out, key, inListOrder(merged, order, before ?? [], mergeKey(field)))
  }
  for (const [key, values] of directives(patch, DELETE_FROM))
    if (isArray(out[key]))
      setMember(out, key, withoutValues(out[key] as JsonArray, isArray(values) ? values : []))
  for (const key of Object.keys(patch)) {
    if (key.startsWith('$') || patch[`${ORDER}${key}`] !== undefined) continue
    mergeMember(out, key, patch[key], s.look(schema, key), s)
  }
  return out
}

function mergeMember(
  out: Map,
  key: string,
  value: JsonValue | undefined,
  field: Schema | undefined,
  s: Schemas,
): void {
  if (value === undefined) return
  if (value === null) {
    delete out[key]
    return
  }
  const before = Object.hasOwn(out, key) ? out[key] : undefined
  const isReplaced = strategies(field).includes('replace')
  if (isObject(value))
    setMember(out, key, mergeMap(isObject(before) && !isReplaced ? before : {}, value, field, s))
  else if (isArray(value) && strategies(field).includes('merge'))
    setMember(out, key, mergeList(isArray(before) ? before : [], value, field, s))
  else setMember(out, key, value)
}

const strategies = (field: Schema | undefined): readonly string[] =>
  (field?.['x-kubernetes-patch-strategy'] ?? '').split(',')
const mergeKey = (field: Schema | undefined): string | undefined => field?.['x-kubernetes-patch-merge-key']

/** Lists of objects are merged by their key, lists of plain values are united; both end in the patch's order. */
function mergeList(base: JsonArray, patch: JsonArray, field: Schema | undefined, s: Schemas): JsonArray {
  if (!strategies(field).includes('merge')) return patch
  if (patch.some((v) => isObject(v) && v.$patch === 'replace'))
    return patch.filter((v) => !(isObject(v) && v.$patch === 'replace'))
  const isPlain = [...base, ...patch].every((v) => !isObject(v))
  if (isPlain) {
    if (patch.some(isArray)) throw new PatchError(unprocessable('lists of lists are not supported'))
    const merged = [...base, ...patch.filter((v, i) => !base.includes(v) && patch.indexOf(v) === i)]
    return inListOrder(merged, patch, base, undefined)
  }
  const key = mergeKey(field)
  if (key === undefined) throw new PatchError(internal('cannot merge list of maps without merge key'))
  let out = [...base]
  const order: JsonValue[] = []
  for (const element of patch) {
    const id = isObject(element) ? element[key] : undefined
    if (!isObject(element) || id === undefined)
      throw new PatchError(
        internal(`map: ${JSON.stringify(element)} does not contain declared merge key: ${key}`),
      )
    const i = out.findIndex((v) => isObject(v) && v[key] === id)
    if (element.$patch === 'delete') {
      out = out.filter((v) => !(isObject(v) && v[key] === id))
      continue
    }
    order.push(element)
    const items = field && s.items(field)
    const merged = mergeMap(i < 0 ? {} : (out[i] as JsonObject), element, items, s)
    if (i < 0) out.push(merged)
    else out[i] = merged
  }
  return inListOrder(out, order, base, key)
}

/** `$retainKeys`: only these members stay; the patch may name no others. */
function retained(base: JsonObject, patch: JsonObject): Map {
  const keep = patch.$retainKeys
  if (keep === undefined) return { ...base }
  if (!isArray(keep)) throw new PatchError(badRequest('incorrect retainKeys type'))
  const names = new Set(keep.filter(isString))
  for (const [k, v] of Object.entries(patch))
    if (!k.startsWith('$') && v !== null && !names.has(k))
      throw new PatchError(unprocessable("patch content doesn't match retainKeys list"))
  return Object.fromEntries(Object.entries(base).filter(([k]) => names.has(k)))
}

const unprocessable = (message: string): ApiFailure => ({
  code: 422,
  reason: 'Invalid',
  message,
  details: {},
})

function* directives(patch: JsonObject, prefix: string): Generator<[string, JsonValue]> {
  for (const [k, v] of Object.entries(patch))
    if (k.startsWith(prefix) && v !== undefined) yield [k.slice(prefix.length), v]
}

const withoutDirectives = (patch: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(patch).filter(([k]) => !k.startsWith('$')))
