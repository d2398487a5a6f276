import type { JsonArray, JsonValue } from '../../object/object.ts'
import { canonicalJson, isArray, isObject, member } from '../../object/object.ts'
import { ownProperty } from './access.ts'
import type { Resolve, Schema } from './types.ts'

/**
 * The old item that an item of a list is the successor of. Only lists of type `map` say which one that is
 * (apiserver `cel/common`, CorrelatedObject); a key that is left out has its default.
 */
export function correlate(
  s: Schema,
  resolve: Resolve,
  value: JsonArray,
  old: JsonValue | undefined,
): (index: number) => JsonValue | undefined {
  const keys = s['x-kubernetes-list-map-keys']
  if (s['x-kubernetes-list-type'] !== 'map' || !keys || !isArray(old) || !s.items) return () => undefined
  const items = resolve(s.items)
  const identity = (item: JsonValue | undefined): string | undefined =>
    isObject(item)
      ? canonicalJson(keys.map((k) => member(item, k) ?? ownProperty(items, k)?.default ?? null))
      : undefined
  const byKey = new Map<string, JsonValue>()
  for (const item of old) {
    const id = identity(item)
    if (id !== undefined && !byKey.has(id)) byKey.set(id, item)
  }
  return (index) => {
    const id = identity(value[index])
    return id === undefined ? undefined : byKey.get(id)
  }
}
