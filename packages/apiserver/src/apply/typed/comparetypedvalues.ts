import { type FieldSet, fieldElement, type PathElement } from '@lockstep/kube/fields'
import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '@lockstep/kube/object'
import type { ListType, MapType, TypeRef } from './atom.ts'
import { formsOf, LIST, leadingForm, MAP, memberType } from './atom.ts'
import { FieldSetBuilder } from './fieldsetbuilder.ts'
import { ItemProblem, itemElement } from './itemelement.ts'
import { TypedError } from './typederror.ts'

/** What became of the fields between two objects. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * Compares two objects field by field. Only the parts that are not the same values are walked. Semantics:
 * structured-merge-diff `typed/compare.go`.
 */
export function compareTypedValues(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  type: TypeRef,
): Comparison {
  const run = new Compare()
  run.compare(before, after, type)
  return { added: run.added.build(), modified: run.modified.build(), removed: run.removed.build() }
}

type Maybe = JsonValue | undefined

class Compare {
  readonly added = new FieldSetBuilder()
  readonly modified = new FieldSetBuilder()
  readonly removed = new FieldSetBuilder()
  private readonly path: PathElement[] = []

  compare(l: Maybe, r: Maybe, type: TypeRef | undefined): void {
    if (l === r) return
    if (type === undefined)
      throw new TypedError([{ path: '', message: 'schema error: invalid atom: inlined' }])
    const atom = type.atom
    const [lForms, rForms] = [formsOf(atom, l), formsOf(atom, r)]
    let isLeaf: boolean
    if (r === undefined) isLeaf = this.handle(lForms, l, r, type)
    else {
      // A value that changes its form is walked in both.
      if (l !== undefined && lForms !== rForms) this.handle(lForms, l, r, type)
      isLeaf = this.handle(rForms, l, r, type)
    }
    if (isLeaf) return
    if (l === undefined) this.added.add(this.path)
    else if (r === undefined) this.removed.add(this.path)
  }

  /** Whether the value was compared as a whole. */
  private handle(forms: number, l: Maybe, r: Maybe, type: TypeRef): boolean {
    switch (leadingForm(forms)) {
      case MAP:
        return this.maps(l, r, type.atom.map as MapType)
      case LIST:
        return this.lists(l, r, type.atom.list as ListType)
      default:
        return this.leaf(l, r)
    }
  }

  private leaf(l: Maybe, r: Maybe): true {
    if (l === undefined) this.added.add(this.path)
    else if (r === undefined) this.removed.add(this.path)
    else if (!jsonEqual(l, r)) this.modified.add(this.path)
    return true
  }

  private maps(l: Maybe, r: Maybe, type: MapType): boolean {
    const [a, b] = [isObject(l) ? l : undefined, isObject(r) ? r : undefined]
    if (type.isAtomic || (isVoid(a) && isVoid(b))) return this.leaf(l, r)
    if (a)
      for (const key of Object.keys(a)) {
        if (a[key] === undefined) continue
        this.member(key, a[key], b && Object.hasOwn(b, key) ? b[key] : undefined, type)
      }
    if (b)
      for (const key of Object.keys(b)) {
        if (b[key] === undefined || (a && Object.hasOwn(a, key) && a[key] !== undefined)) continue
        this.member(key, undefined, b[key], type)
      }
    return false
  }

  private member(key: string, l: Maybe, r: Maybe, type: MapType): void {
    if (l === r) return
    this.path.push(fieldElement(key))
    this.compare(l, r, memberType(type, key))
    this.path.pop()
  }

  private lists(l: Maybe, r: Maybe, type: ListType): boolean {
    const [a, b] = [isArray(l) ? l : [], isArray(r) ? r : []]
    if (type.isAtomic || (a.length === 0 && b.length === 0)) return this.leaf(l, r)
    const [before, after] = [byElement(a, type), byElement(b, type)]
    for (const [element, items] of before) this.items(element, items, after.get(element) ?? [], type)
    for (const [element, items] of after) if (!before.has(element)) this.items(element, [], items, type)
    return false
  }

  /** Items with one element. Duplicates are owned as one thing, by the element alone. */
  private items(
    element: PathElement,
    l: readonly JsonValue[],
    r: readonly JsonValue[],
    type: ListType,
  ): void {
    if (l.length <= 1 && r.length <= 1) this.item(element, l[0], r[0], type)
    else if (l.length >= 2 && r.length >= 2) {
      if (!jsonEqual(l, r)) this.modified.add(this.path, element)
    } else if (l.length >= 2) {
      if (r.length > 0) this.item(element, undefined, r[0], type)
      this.removed.add(this.path, element)
    } else {
      if (l.length > 0) this.item(element, l[0], undefined, type)
      this.added.add(this.path, element)
    }
  }

  private item(element: PathElement, l: Maybe, r: Maybe, type: ListType): void {
    this.path.push(element)
    this.compare(l, r, type.element)
    this.path.pop()
  }
}

function isVoid(v: JsonObject | undefined): boolean {
  if (v !== undefined) for (const key of Object.keys(v)) if (v[key] !== undefined) return false
  return true
}

function byElement(list: JsonArray, type: ListType): Map<PathElement, JsonValue[]> {
  const out = new Map<PathElement, JsonValue[]>()
  for (const [i, item] of list.entries()) {
    const element = itemElement(type, item)
    if (element instanceof ItemProblem)
      throw new TypedError([{ path: '', message: `element ${i}: ${element.text}` }])
    const known = out.get(element)
    if (known) known.push(item)
    else out.set(element, [item])
  }
  return out
}
