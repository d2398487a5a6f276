import { isArray, member } from '@lockstep/kube/object'
import { forbidden, invalid, notSupported, required } from '../invalidfield.ts'
import type { RawSchema } from '../rawschema.ts'
import { flag, sub, text } from '../rawschema.ts'
import type { FieldError } from '../schematypes.ts'

const LIST = 'x-kubernetes-list-type'
const KEYS = 'x-kubernetes-list-map-keys'
const MAP = 'x-kubernetes-map-type'

/** Which list and map types go with which schemas (apiextensions-apiserver `apiextensions/validation`). */
export function checkListAndMapTypes(s: RawSchema, path: string, out: FieldError[]): void {
  const type = text(s, 'type')
  const mapType = member(s, MAP)
  const listType = member(s, LIST)
  const mustBe = (what: string, because: string): void => {
    const detail = `must be ${what} if ${because} is specified`
    out.push(type === '' ? required(`${path}.type`, detail) : invalid(`${path}.type`, type, detail))
  }
  if (mapType !== undefined && type !== 'object') mustBe('object', MAP)
  if (mapType !== undefined && mapType !== 'atomic' && mapType !== 'granular')
    out.push(notSupported(`${path}.${MAP}`, mapType, ['atomic', 'granular']))
  if (listType !== undefined && type !== 'array') mustBe('array', LIST)
  else if (listType === 'set') checkSetItems(s, path, out)
  if (listType !== undefined && listType !== 'atomic' && listType !== 'set' && listType !== 'map')
    out.push(notSupported(`${path}.${LIST}`, listType, ['atomic', 'set', 'map']))
  const keys = keysOf(s)
  if (keys.length > 0 && listType !== 'map') {
    const detail = `must be map if ${KEYS} is non-empty`
    const where = `${path}.${LIST}`
    out.push(listType === undefined ? required(where, detail) : invalid(where, listType, detail))
  }
  if (listType === 'map') checkMapItems(s, keys, path, out)
  if (listType === 'map' || listType === 'set') checkItems(s, keys, listType, path, out)
}

function keysOf(s: RawSchema): string[] {
  const v = member(s, KEYS)
  return isArray(v) ? v.filter((k): k is string => typeof k === 'string') : []
}

/** Items of a set are compared as a whole, so nothing in them may be owned apart. */
function checkSetItems(s: RawSchema, path: string, out: FieldError[]): void {
  const items = sub(s, 'items')
  if (!items) return
  const detail = `must be atomic as item of a list with ${LIST}=set`
  const own = member(items, LIST)
  if (text(items, 'type') === 'array' && own !== undefined && own !== 'atomic')
    out.push(invalid(`${path}.items.${LIST}`, own, detail))
  if (text(items, 'type') === 'object' && member(items, MAP) !== 'atomic')
    out.push(invalid(`${path}.items.${MAP}`, own, detail))
}

function checkMapItems(s: RawSchema, keys: readonly string[], path: string, out: FieldError[]): void {
  if (keys.length === 0) out.push(required(`${path}.${KEYS}`, `must not be empty if ${LIST} is map`))
  const items = sub(s, 'items')
  if (!items) {
    if (member(s, 'items') === undefined)
      out.push(required(`${path}.items`, `must have a schema if ${LIST} is map`))
    return
  }
  if (text(items, 'type') !== 'object') {
    const detail = `must be object if parent array's ${LIST} is map`
    out.push(invalid(`${path}.items.type`, text(items, 'type'), detail))
    return
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const p = sub(sub(items, 'properties') ?? {}, key)
    if (!p) out.push(invalid(`${path}.${KEYS}`, [...keys], 'entries must all be names of item properties'))
    else if (['array', 'object'].includes(text(p, 'type'))) {
      const detail = `must be a scalar type if parent array's ${LIST} is map`
      out.push(invalid(`${path}.items.properties[${key}].type`, text(items, 'type'), detail))
    }
    if (seen.has(key)) out.push(invalid(`${path}.${KEYS}`, [...keys], 'must not contain duplicate entries'))
    seen.add(key)
  }
}

/** Keys always have a value, and items of sets and maps are never null. */
function checkItems(
  s: RawSchema,
  keys: readonly string[],
  listType: string,
  path: string,
  out: FieldError[],
): void {
  const items = sub(s, 'items')
  if (!items) return
  if (flag(items, 'nullable'))
    out.push(forbidden(`${path}.items.nullable`, `cannot be nullable when ${LIST} is ${listType}`))
  if (listType !== 'map') return
  const requiredNames = member(items, 'required')
  for (const key of keys) {
    const p = sub(sub(items, 'properties') ?? {}, key)
    if (!p) continue
    const where = `${path}.items.properties[${key}]`
    const isRequired = isArray(requiredNames) && requiredNames.includes(key)
    const because = `this property is in ${KEYS}, so it`
    if (!isRequired && (member(p, 'default') ?? null) === null)
      out.push(required(`${where}.default`, `${because} must have a default or be a required property`))
    if (flag(p, 'nullable')) out.push(forbidden(`${where}.nullable`, `${because} cannot be nullable`))
  }
}
