import { type FieldSet, fieldElement, type PathElement } from '@lockstep/kube/fields'
import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setMember,
} from '@lockstep/kube/object'
import type { ListType, MapType, TypeRef } from './atom.ts'
import { formsOf, LIST, leadingForm, MAP, memberType } from './atom.ts'
import { itemElement } from './itemelement.ts'

/**
 * The value without the fields and items of a set. What loses everything becomes null; a value that loses nothing comes
 * back itself (structured-merge-diff `typed/remove.go`).
 */
export function removeItems(value: JsonValue, set: FieldSet, type: TypeRef | undefined): JsonValue {
  // Nothing to remove, except that an empty map or list becomes null here as everywhere on the way.
  if (set.isEmpty && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0))
    return value
  return walk(value, set, type, removeMembers, removeListItems)
}

/** Only the fields and items of a set: what a client reads back that knows what it owns. */
export function extractItems(value: JsonValue, set: FieldSet, type: TypeRef | undefined): JsonValue {
  return walk(value, set, type, extractMembers, extractListItems)
}

type OnMap = (value: JsonObject, set: FieldSet, map: MapType) => JsonValue
type OnList = (value: JsonArray, set: FieldSet, list: ListType) => JsonValue

function walk(
  value: JsonValue,
  set: FieldSet,
  type: TypeRef | undefined,
  onMap: OnMap,
  onList: OnList,
): JsonValue {
  if (type === undefined) return null
  const atom = type.atom
  switch (leadingForm(formsOf(atom, value))) {
    case MAP:
      return isObject(value) ? onMap(value, set, atom.map as MapType) : null
    case LIST:
      return isArray(value) ? onList(value, set, atom.list as ListType) : null
    default:
      return value
  }
}

const orNull = (o: JsonObject): JsonValue => (Object.keys(o).length > 0 ? o : null)

function removeMembers(value: JsonObject, set: FieldSet, map: MapType): JsonValue {
  if (map.isAtomic) return null
  let isChanged = false
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    const node = set.nodes.get(fieldElement(key))
    if (node?.isMember) {
      isChanged = true
      continue
    }
    const kept = node?.children ? removeItems(member, node.children, memberType(map, key)) : member
    if (kept !== member) isChanged = true
    setMember(out, key, kept)
  }
  return isChanged ? orNull(out) : orNull(value)
}

function removeListItems(value: JsonArray, set: FieldSet, list: ListType): JsonValue {
  if (list.isAtomic) return null
  let isChanged = false
  const out: JsonValue[] = []
  for (const item of value) {
    const node = set.nodes.get(itemElement(list, item) as PathElement)
    if (node?.isMember) {
      isChanged = true
      continue
    }
    const kept = node?.children ? removeItems(item, node.children, list.element) : item
    if (kept !== item) isChanged = true
    out.push(kept)
  }
  if (!isChanged && value.length > 0) return value
  return out.length > 0 ? out : null
}

function extractMembers(value: JsonObject, set: FieldSet, map: MapType): JsonValue {
  if (map.isAtomic || Object.keys(value).length === 0) return value
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    const node = set.nodes.get(fieldElement(key))
    if (member === undefined || node === undefined) continue
    // A member of the set is looked through with the set it is a member of; the original does the same.
    const inner = node.isMember ? set : (node.children as FieldSet)
    setMember(out, key, extractItems(member, inner, memberType(map, key)))
  }
  return orNull(out)
}

function extractListItems(value: JsonArray, set: FieldSet, list: ListType): JsonValue {
  if (list.isAtomic || value.length === 0) return value
  const out: JsonValue[] = []
  for (const item of value) {
    const node = set.nodes.get(itemElement(list, item) as PathElement)
    if (node?.children) out.push(extractItems(item, node.children, list.element))
    else if (node?.isMember) out.push(item)
  }
  return out.length > 0 ? out : null
}
