import { type FieldNode, FieldSet, type PathElement } from '@lockstep/kube/fields'
import type { TypeRef } from './atom.ts'
import { memberType } from './atom.ts'

/**
 * The set with every named field that has something below it as a member. Named fields exist by virtue of what is in
 * them, so whoever owns something below keeps the field (structured-merge-diff `fieldpath/set.go`,
 * EnsureNamedFieldsAreMembers).
 */
export function withNamedFields(set: FieldSet, type: TypeRef): FieldSet {
  const known = complete.get(set)
  if (known?.type === type) return known.set
  const out = named(set, type)
  complete.set(set, { type, set: out })
  return out
}

/** Sets live as long as objects do; their completed form is asked for at every apply. */
const complete = new WeakMap<FieldSet, { readonly type: TypeRef; readonly set: FieldSet }>()

function named(set: FieldSet, type: TypeRef | undefined): FieldSet {
  if (type === undefined) return set
  const { map, list } = type.atom
  let out: Map<PathElement, FieldNode> | undefined
  for (const [element, node] of set.nodes) {
    if (node.children === undefined) continue
    const isField = element.startsWith('f:')
    const name = element.slice(2)
    const isMember = node.isMember || (isField && map?.fields.has(name) === true)
    const below = isField
      ? map && memberType(map, name)
      : element.startsWith('k:')
        ? list?.element
        : undefined
    const children = named(node.children, below)
    if (isMember === node.isMember && children === node.children) continue
    out ??= new Map(set.nodes)
    out.set(element, { isMember, children })
  }
  return out === undefined ? set : FieldSet.of(out)
}
