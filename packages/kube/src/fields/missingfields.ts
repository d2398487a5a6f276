/** A manifest beside a field set. No schema is at hand: the set itself says by which keys its lists are told apart. */

import { parseJson } from '../object/encode.ts'
import { isArray, isObject, type JsonObject, type JsonValue, jsonEqual } from '../object/json.ts'
import { type FieldNode, type FieldPath, FieldSet } from './fieldset.ts'
import { fieldElement, type PathElement, valueElement } from './pathelement.ts'

/** The fields of a manifest, as deep as it goes, that a set does not have. Null and what is absent asks for nothing. */
export function* missingFields(
  manifest: JsonObject,
  set: FieldSet | undefined,
  prefix: FieldPath = [],
): Generator<FieldPath> {
  for (const [name, value] of Object.entries(manifest)) {
    if (value === null || value === undefined) continue
    const element = fieldElement(name)
    yield* missingAt(value, set?.nodes.get(element), [...prefix, element])
  }
}

function* missingAt(value: JsonValue, node: FieldNode | undefined, path: FieldPath): Generator<FieldPath> {
  // Owned as a whole, whatever is in it.
  if (node?.isMember && !node.children) return
  if (isObject(value) && Object.keys(value).length > 0) yield* missingFields(value, node?.children, path)
  else if (isArray(value) && node?.children) {
    for (const item of value) {
      const element = elementOf(item, node.children)
      if (element === undefined) yield path
      else yield* missingAt(item, node.children.nodes.get(element), [...path, element])
    }
  } else if (!node?.isMember) yield path
}

/** The step of a set that an item of a list stands for. A key that the item leaves out has its default. */
export function elementOf(item: JsonValue, set: FieldSet): PathElement | undefined {
  const value = valueElement(item)
  if (set.nodes.has(value)) return value
  let likely: PathElement | undefined
  for (const element of set.nodes.keys()) {
    if (!element.startsWith('k:')) continue
    const keys = Object.entries(parseJson(element.slice(2)) as JsonObject)
    const isNamed = (k: string) => isObject(item) && item[k] !== undefined
    if (keys.some(([k, v]) => isNamed(k) && !jsonEqual((item as JsonObject)[k], v))) continue
    if (keys.every(([k]) => isNamed(k))) return element
    if (keys.some(([k]) => isNamed(k))) likely ??= element
  }
  return likely
}

/**
 * Where a JSON pointer into a manifest leads in a set. Undefined: into a list that the set does not know. In a list that
 * is owned as a whole it ends at the list.
 */
export function pathOfPointer(
  pointer: readonly string[],
  manifest: JsonValue | undefined,
  set: FieldSet,
): FieldPath | undefined {
  const path: PathElement[] = []
  let value = manifest
  let here: FieldSet | undefined = set
  for (const step of pointer) {
    if (isArray(value)) {
      if (!here) return path
      const item: JsonValue | undefined = value[Number(step)]
      const element = item === undefined ? undefined : elementOf(item, here)
      if (element === undefined) return undefined
      path.push(element)
      value = item
    } else {
      path.push(fieldElement(step))
      value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
    }
    here = here?.nodes.get(path[path.length - 1]!)?.children
  }
  return path
}

/**
 * A manifest without the fields of a set, and without the maps that this empties. Undefined: nothing is left. `known`
 * has all that anybody owns: without it an item that leaves out a key could be taken for another one.
 */
export function withoutFields(value: JsonValue, set: FieldSet, known: FieldSet): JsonValue | undefined {
  if (isArray(value)) {
    const left = value.map((item) => withoutAt(item, elementOf(item, known), set, known))
    return left.every((v) => v === undefined) ? undefined : left.filter((v) => v !== undefined)
  }
  if (!isObject(value)) return value
  const left = Object.entries(value).flatMap(([name, v]): [string, JsonValue | undefined][] => {
    if (v === undefined) return []
    const kept = withoutAt(v, fieldElement(name), set, known)
    return kept === undefined ? [] : [[name, kept]]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

function withoutAt(
  value: JsonValue,
  element: PathElement | undefined,
  set: FieldSet,
  known: FieldSet,
): JsonValue | undefined {
  const node = element === undefined ? undefined : set.nodes.get(element)
  if (!node) return value
  return node.children
    ? withoutFields(value, node.children, known.child(element!) ?? node.children)
    : undefined
}

/** The part of a set whose fields a manifest has. `known` as above. */
export function fieldsIn(value: JsonValue | undefined, set: FieldSet, known: FieldSet): FieldSet {
  const nodes = new Map<PathElement, FieldNode>()
  for (const [element, { isMember, children }] of set.nodes) {
    const found = memberAt(value, element, known)
    if (found === undefined) continue
    const below = children && fieldsIn(found, children, known.child(element) ?? children)
    if (isMember || (below && !below.isEmpty))
      nodes.set(element, { isMember, children: below?.isEmpty ? undefined : below })
  }
  return FieldSet.of(nodes)
}

function memberAt(
  value: JsonValue | undefined,
  element: PathElement,
  known: FieldSet,
): JsonValue | undefined {
  if (isArray(value)) return value.find((item) => elementOf(item, known) === element)
  const name = element.slice(2)
  return isObject(value) && element.startsWith('f:') && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Whether a set has a path, something below it, or the whole that it is part of. */
export function touches(set: FieldSet, path: FieldPath): boolean {
  let here: FieldSet | undefined = set
  for (const [i, element] of path.entries()) {
    const node: FieldNode | undefined = here?.nodes.get(element)
    if (!node) return false
    if (i === path.length - 1) return true
    if (!node.children) return node.isMember
    here = node.children
  }
  return false
}
