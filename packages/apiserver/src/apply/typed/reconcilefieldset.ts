import { type FieldNode, FieldSet, type PathElement } from '@lockstep/kube/fields'
import type { MapType, TypeRef } from './atom.ts'
import { LIST, leadingForm, MAP, memberType } from './atom.ts'

/**
 * Ownership recorded under an older schema, read with the present one: whoever owned something below a list or map that
 * is atomic by now owns it as a whole. Changes the other way need nothing (structured-merge-diff
 * `typed/reconcile_schema.go`). A set that needs nothing comes back itself.
 */
export function reconcileFieldSet(set: FieldSet, type: TypeRef): FieldSet {
  if (settled.get(set) === type) return set
  const out = below(set, type)
  settled.set(out, type)
  return out
}

/** The type with which a set was last found to agree. */
const settled = new WeakMap<FieldSet, TypeRef>()

function below(set: FieldSet, type: TypeRef): FieldSet {
  const atom = type.atom
  const all = (atom.map ? MAP : 0) | (atom.scalar ? 2 : 0) | (atom.list ? LIST : 0)
  const form = leadingForm(all)
  if (form === MAP) {
    const map = atom.map as MapType
    return isDeduced(map) ? set : children(set, (element) => typeAt(map, element))
  }
  if (form === LIST) return children(set, () => atom.list?.element)
  return set
}

/** Deduced types say nothing about atomicity, so there is nothing to reconcile. */
const isDeduced = (map: MapType): boolean => map.fields.size === 0 && map.element?.isUntyped === true

const typeAt = (map: MapType, element: PathElement): TypeRef | undefined =>
  element.startsWith('f:') ? memberType(map, element.slice(2)) : map.element

function children(set: FieldSet, typeOf: (element: PathElement) => TypeRef | undefined): FieldSet {
  let out: Map<PathElement, FieldNode> | undefined
  for (const [element, node] of set.nodes) {
    const type = typeOf(element)
    if (type === undefined) continue
    const now = reconcileNode(node, type)
    if (now === node) continue
    out ??= new Map(set.nodes)
    out.set(element, now)
  }
  return out === undefined ? set : FieldSet.of(out)
}

const WHOLE: FieldNode = { isMember: true, children: undefined }

function reconcileNode(node: FieldNode, type: TypeRef): FieldNode {
  const { map, list, scalar } = type.atom
  if (map) {
    if (isDeduced(map)) return node
    if (map.isAtomic) return node.children ? WHOLE : node
  } else if (scalar) return node
  // An item or field that is owned as a whole already stays as it is.
  else if (list?.isAtomic) return node.isMember && node.children === undefined ? node : WHOLE
  if (node.children === undefined) return node
  const children = below(node.children, type)
  return children === node.children ? node : { isMember: node.isMember, children }
}
