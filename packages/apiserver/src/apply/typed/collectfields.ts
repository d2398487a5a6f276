import { type FieldNode, FieldSet, fieldElement, type PathElement } from '@lockstep/kube/fields'
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { ListType, MapType, TypeRef } from './atom.ts'
import { formsOf, LIST, leadingForm, MAP, memberType } from './atom.ts'
import { ItemProblem, itemElement } from './itemelement.ts'
import { TypedError } from './typederror.ts'

/**
 * The fields that a configuration mentions: what its applier will own (structured-merge-diff `typed/tofieldset.go`).
 */
export function collectFields(value: JsonValue | undefined, type: TypeRef): FieldSet {
  return value === undefined ? FieldSet.empty : (collect(value, type).children ?? FieldSet.empty)
}

const LEAF: FieldNode = { isMember: true, children: undefined }
const NOTHING: FieldNode = { isMember: false, children: undefined }

function collect(value: JsonValue, type: TypeRef | undefined): FieldNode {
  if (type === undefined) throw new TypedError([{ path: '', message: 'schema error: invalid atom: inlined' }])
  const atom = type.atom
  switch (leadingForm(formsOf(atom, value))) {
    case MAP: {
      const map = atom.map as MapType
      if (map.isAtomic) return LEAF
      return isObject(value) ? below(members(value, map)) : NOTHING
    }
    case LIST: {
      const list = atom.list as ListType
      if (list.isAtomic) return LEAF
      return isArray(value) ? below(items(value, list)) : NOTHING
    }
    default:
      return LEAF
  }
}

const below = (nodes: Map<PathElement, FieldNode>): FieldNode =>
  nodes.size === 0 ? NOTHING : { isMember: false, children: FieldSet.of(nodes) }

/** Members of a free map are owned themselves; named fields only where there is nothing below them to own. */
function members(value: JsonObject, map: MapType): Map<PathElement, FieldNode> {
  const out = new Map<PathElement, FieldNode>()
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    const node = collect(member, memberType(map, key))
    const isBare = member === null || (isObject(member) && isVoid(member))
    const isMember = node.isMember || isBare || !map.fields.has(key)
    if (isMember && node.children === undefined) out.set(fieldElement(key), LEAF)
    else if (isMember || node.children) out.set(fieldElement(key), { isMember, children: node.children })
  }
  return out
}

function isVoid(v: JsonObject): boolean {
  for (const key of Object.keys(v)) if (v[key] !== undefined) return false
  return true
}

/** Items are owned themselves and by field; items with the same element only themselves. */
function items(value: JsonArray, list: ListType): Map<PathElement, FieldNode> {
  const out = new Map<PathElement, FieldNode>()
  for (const [i, item] of value.entries()) {
    // What pruning left of an item that even lost its key.
    if (item === null) continue
    const element = itemElement(list, item)
    if (element instanceof ItemProblem)
      throw new TypedError([{ path: '', message: `element ${i}: ${element.text}` }])
    if (out.has(element)) {
      out.set(element, LEAF)
      continue
    }
    const node = collect(item, list.element)
    out.set(element, node.children ? { isMember: true, children: node.children } : LEAF)
  }
  return out
}
