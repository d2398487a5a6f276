import {
  canonicalJson,
  isArray,
  isObject,
  type JsonArray,
  type JsonValue,
  jsonEqual,
  member,
} from '@lockstep/kube/object'
import { additional, ownProperty } from './ownproperty.ts'
import type { Resolve, Schema } from './schematypes.ts'

/**
 * Finds the old item that an item of a list is the successor of. Only lists of type `map` say which one that is
 * (apiserver `cel/common`, MakeMapList); an item without one of the keys has none.
 */
export function oldItems(
  s: Schema,
  old: JsonValue | undefined,
): ((item: JsonValue) => JsonValue | undefined) | undefined {
  const keys = s['x-kubernetes-list-map-keys']
  if (s['x-kubernetes-list-type'] !== 'map' || !keys?.length || !isArray(old)) return undefined
  const byKey = new Map<string, JsonValue>()
  for (const item of old) {
    const id = identity(item, keys)
    if (id !== undefined && !byKey.has(id)) byKey.set(id, item)
  }
  return (item) => {
    const id = identity(item, keys)
    return id === undefined ? undefined : byKey.get(id)
  }
}

function identity(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isObject(item)) return undefined
  const values = keys.map((k) => member(item, k) ?? null)
  return values.some((v) => v === null || typeof v === 'object') ? undefined : canonicalJson(values)
}

/**
 * A value beside the one it replaces, with their parts (apiserver `cel/common`, CorrelatedObject). Parts that the schema
 * does not describe, and items of lists that are not of type `map`, have nothing to be compared with.
 */
export class Correlated {
  private readonly schema: Schema
  private readonly resolve: Resolve
  private readonly value: JsonValue | undefined
  private readonly old: JsonValue | undefined
  private readonly parts = new Map<string | number, Correlated | undefined>()
  private find: ((item: JsonValue) => JsonValue | undefined) | undefined
  private same: boolean | undefined

  constructor(schema: Schema, resolve: Resolve, value: JsonValue | undefined, old: JsonValue | undefined) {
    this.schema = resolve(schema)
    this.resolve = resolve
    this.value = value
    this.old = old
    this.find = isArray(value) ? oldItems(this.schema, old) : undefined
  }

  /** The member of that name, if both have it. */
  key(name: string): Correlated | undefined {
    return this.part(name, () => {
      if (!isObject(this.old) || !isObject(this.value)) return undefined
      const [value, old] = [member(this.value, name), member(this.old, name)]
      const schema = ownProperty(this.schema, name) ?? additional(this.schema)
      if (value === undefined || old === undefined || !schema) return undefined
      return new Correlated(schema, this.resolve, value, old)
    })
  }

  /** The item at the index, if an old one is known for it. */
  index(i: number): Correlated | undefined {
    return this.part(i, () => {
      const item = isArray(this.value) ? this.value[i] : undefined
      const old = item === undefined ? undefined : (this.find?.(item) ?? undefined)
      if (item === undefined || old === undefined || !this.schema.items) return undefined
      return new Correlated(this.schema.items, this.resolve, item, old)
    })
  }

  /** Nothing changed, but for the order of a list of type `map`. What cannot be compared counts as changed. */
  get isSame(): boolean {
    this.same ??= this.compare()
    return this.same
  }

  private part(at: string | number, make: () => Correlated | undefined): Correlated | undefined {
    if (!this.parts.has(at)) this.parts.set(at, make())
    return this.parts.get(at)
  }

  private compare(): boolean {
    const { value, old } = this
    if (isArray(value) && isArray(old)) return this.compareLists(value, old)
    if (!isObject(value) || !isObject(old)) return jsonEqual(value ?? null, old ?? null)
    const names = (o: object): string[] => Object.keys(o).filter((k) => member(o, k) !== undefined)
    const own = names(value)
    return own.length === names(old).length && own.every((name) => this.key(name)?.isSame)
  }

  private compareLists(value: JsonArray, old: JsonArray): boolean {
    if (value.length !== old.length) return false
    return this.find ? value.every((_, i) => this.index(i)?.isSame) : jsonEqual(value, old)
  }
}
