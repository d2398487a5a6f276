/** Whether an object says what a manifest says. No schema is at hand: what is owned tells lists and maps apart. */
import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '../object/json.ts'
import type { FieldNode, FieldSet } from './fieldset.ts'
import { elementOf } from './missingfields.ts'
import { fieldElement } from './pathelement.ts'

/**
 * An apply of the manifest would change no value: each of its fields is there as it says, in lists in the same order.
 * What a server has added besides does not matter, except in what is owned as a whole. In doubt it does not hold: where
 * nobody owns a field (`known` has all that anybody does), or where a value may be written in several ways.
 */
export function containsFields(live: JsonValue | undefined, manifest: JsonObject, known: FieldSet): boolean {
  if (!isObject(live)) return false
  return Object.entries(manifest).every(
    ([name, value]) =>
      value === undefined ||
      holdsAt(Object.hasOwn(live, name) ? live[name] : undefined, value, known.nodes.get(fieldElement(name))),
  )
}

function holdsAt(live: JsonValue | undefined, value: JsonValue, node: FieldNode | undefined): boolean {
  if (!node) return false
  if (node.children && isObject(value) && Object.keys(value).length > 0)
    return containsFields(live, value, node.children)
  if (node.children && isArray(value) && value.length > 0)
    return isArray(live) && holdsItems(live, value, node.children)
  return jsonEqual(live, value)
}

/** Items in their order; others may stand between them. */
function holdsItems(live: JsonArray, items: JsonArray, known: FieldSet): boolean {
  const places = live.map((item) => elementOf(item, known))
  let last = -1
  for (const item of items) {
    const element = elementOf(item, known)
    const at = element === undefined ? -1 : places.indexOf(element)
    if (at <= last || places.lastIndexOf(element) !== at) return false
    last = at
    const node = known.nodes.get(element!)!
    if (!holdsItem(live[at], item, node)) return false
  }
  return true
}

/** A value of a set is its own name. */
const holdsItem = (live: JsonValue | undefined, item: JsonValue, { children }: FieldNode): boolean =>
  children && isObject(item) ? containsFields(live, item, children) : jsonEqual(live, item)
