import { type FieldNode, FieldSet, type PathElement } from '@lockstep/kube/fields'
import { isArray, isObject, type JsonObject, type JsonValue, member, setMember } from '@lockstep/kube/object'
import type { ManagerSets } from './managersets.ts'
import { memberType, type TypeRef } from './typed/atom.ts'
import { itemElement } from './typed/itemelement.ts'

/**
 * Pruning leaves null where a map or list lost everything in it. Where somebody owns the map or list itself, it is there
 * as an empty one: `emptyDir: {}` after `emptyDir: {sizeLimit: 1Gi}` is an emptyDir. (kube-apiserver drops it.)
 */
export function keepEmptyFields(
  object: JsonValue,
  before: readonly JsonValue[],
  managers: ManagerSets,
  type: TypeRef,
): JsonValue {
  let owned = FieldSet.empty
  for (const { set } of managers.values()) owned = owned.union(set)
  return walk(object, before, owned, type)
}

function walk(value: JsonValue, before: readonly JsonValue[], owned: FieldSet, type: TypeRef): JsonValue {
  if (isObject(value)) return members(value, before, owned, type)
  return isArray(value) ? items(value, before, owned, type) : value
}

function members(value: JsonObject, before: readonly JsonValue[], owned: FieldSet, type: TypeRef): JsonValue {
  const map = type.atom.map
  if (!map || map.isAtomic) return value
  let out: { [key: string]: JsonValue | undefined } | undefined
  for (const [element, node] of owned.nodes) {
    if (!element.startsWith('f:')) continue
    const name = element.slice(2)
    const now = member(value, name)
    const inner = memberType(map, name)
    if (now === undefined || inner === undefined) continue
    const done = settled(
      now,
      before.map((b) => member(b, name)),
      node,
      inner,
    )
    if (done === now) continue
    out ??= { ...value }
    setMember(out, name, done)
  }
  return out ?? value
}

function items(
  value: readonly JsonValue[],
  before: readonly JsonValue[],
  owned: FieldSet,
  type: TypeRef,
): JsonValue {
  const list = type.atom.list
  if (!list || list.isAtomic || list.keys.length === 0) return value
  const known = before.map((b) => {
    const byElement = new Map<PathElement, JsonValue>()
    for (const item of isArray(b) ? b : []) byElement.set(itemElement(list, item) as PathElement, item)
    return byElement
  })
  // An item that lost even its key can only be told from the others by what there is no item of any more.
  const present = new Set(value.filter((v) => v !== null).map((v) => itemElement(list, v)))
  const lost = [...owned.nodes.keys()].filter((e) => !present.has(e) && known.some((k) => k.has(e)))
  let isChanged = false
  const out = value.map((item) => {
    const element = item === null ? lost.shift() : (itemElement(list, item) as PathElement)
    const node = element === undefined ? undefined : owned.nodes.get(element)
    if (element === undefined || node === undefined) return item
    const done = settled(
      item,
      known.map((k) => k.get(element)),
      node,
      list.element,
    )
    if (done !== item) isChanged = true
    return done
  })
  return isChanged ? out : value
}

function settled(
  now: JsonValue,
  before: readonly (JsonValue | undefined)[],
  node: FieldNode,
  type: TypeRef,
): JsonValue {
  const [was] = before.filter((b) => b !== undefined)
  if (now === null && node.isMember) return isObject(was) ? {} : isArray(was) ? [] : now
  if (node.children === undefined) return now
  return walk(
    now,
    before.filter((b): b is JsonValue => b !== undefined),
    node.children,
    type,
  )
}
