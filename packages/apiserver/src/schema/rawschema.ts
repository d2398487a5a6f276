import { isArray, isObject, type JsonObject, type JsonValue, member } from '@lockstep/kube/object'

/** A schema as it came in a CustomResourceDefinition: nothing about it has been checked yet. */
export type RawSchema = JsonObject

/** A member that is a schema. */
export const sub = (s: RawSchema, name: string): RawSchema | undefined => {
  const v = member(s, name)
  return isObject(v) ? v : undefined
}

/** A member that is a map of schemas, sorted by name: findings come in a stable order. */
export function subs(s: RawSchema, name: string): [string, RawSchema][] {
  const v = member(s, name)
  if (!isObject(v)) return []
  const out: [string, RawSchema][] = []
  for (const key of Object.keys(v).sort()) if (isObject(v[key])) out.push([key, v[key] as RawSchema])
  return out
}

/** A member that is a list of schemas. */
export function subList(s: RawSchema, name: string): RawSchema[] {
  const v = member(s, name)
  return isArray(v) ? v.filter((i): i is JsonObject => isObject(i)) : []
}

export const text = (s: RawSchema, name: string): string => {
  const v = member(s, name)
  return typeof v === 'string' ? v : ''
}

export const flag = (s: RawSchema, name: string): boolean => member(s, name) === true

/** Members as Go sees them: false, "", empty lists and maps of optional fields are absent. */
export function present(s: RawSchema, name: string): boolean {
  const v: JsonValue | undefined = member(s, name)
  if (v === undefined || v === null || v === false || v === '') return false
  if (isArray(v)) return v.length > 0
  return !isObject(v) || Object.keys(v).length > 0
}
