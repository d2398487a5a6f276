import type { PathElement } from '@lockstep/kube/fields'
import type { JsonArray, JsonValue } from '@lockstep/kube/object'
import type { ListType, TypeRef } from './atom.ts'
import { ItemProblem, itemElement } from './itemelement.ts'
import { TypedError } from './typederror.ts'

type ListMerge = (
  live: JsonValue | undefined,
  config: JsonValue | undefined,
  type: TypeRef,
) => JsonValue | undefined

/**
 * Merges two associative lists. Items that both have keep the order of the configuration; items of the live list alone
 * stay behind the shared item they followed; new ones come where the configuration has them (structured-merge-diff
 * `typed/merge.go`, visitListItems). Linear in the lengths.
 */
export function mergeLists(
  live: JsonArray,
  config: JsonArray,
  type: ListType,
  merge: ListMerge,
): JsonValue[] {
  const r = index(config, type)
  const l = index(live, type)
  const out: JsonValue[] = []
  const emit = (a: JsonValue | undefined, b: JsonValue | undefined): void => {
    const merged = merge(a, b, type.element)
    if (merged !== undefined) out.push(merged)
  }
  const shared = r.elements.filter((e) => l.items.has(e))
  const taken = new Set<PathElement>()
  let next = 0
  let li = 0
  let ri = 0
  while (li < l.elements.length || ri < r.elements.length) {
    const le = l.elements[li]
    const re = r.elements[ri]
    if (le !== undefined && re !== undefined) {
      if (le === re) {
        taken.add(le)
        emit(l.items.get(le), r.items.get(le))
        li++
        ri++
        next++
        continue
      }
      // A shared item, but not the one that comes next in the configuration.
      if (r.items.has(le) && next < shared.length && shared[next] !== le) {
        li++
        continue
      }
    }
    if (le !== undefined) {
      if (!r.items.has(le)) {
        emit(live[li], undefined)
        li++
        continue
      }
      if (taken.has(le)) li++
    }
    if (re !== undefined) {
      taken.add(re)
      emit(l.items.get(re), r.items.get(re))
      ri++
      if (shared[next] === re) next++
    }
  }
  return out
}

interface ItemIndex {
  readonly elements: readonly PathElement[]
  /** The item of an element; null if several have it: those are not merged with the configuration's. */
  readonly items: ReadonlyMap<PathElement, JsonValue>
}

function index(list: JsonArray, type: ListType): ItemIndex {
  const elements: PathElement[] = []
  const items = new Map<PathElement, JsonValue>()
  for (const [i, item] of list.entries()) {
    const element = itemElement(type, item)
    if (element instanceof ItemProblem)
      throw new TypedError([{ path: '', message: `element ${i}: ${element.text}` }])
    items.set(element, items.has(element) ? null : item)
    elements.push(element)
  }
  return { elements, items }
}
