import type { PathElement } from '../../../object/fields/fields.ts'
import { keyElement, valueElement } from '../../../object/fields/fields.ts'
import { escapeHtml } from '../../../object/fields/gotext.ts'
import type { JsonObject, JsonValue } from '../../../object/object.ts'
import { isArray, isObject, setMember } from '../../../object/object.ts'
import type { ListType } from './atom.ts'

/**
 * The path element of an item of an associative list, or what is wrong with the item: keys may be left out if they have
 * a default or if others are there (structured-merge-diff `typed/helpers.go`).
 */
export function itemElement(list: ListType, item: JsonValue): PathElement | ItemProblem {
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item)
}

/** Why an item has no place in its list. */
export class ItemProblem {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function keyedElement(list: ListType, item: JsonValue): PathElement | ItemProblem {
  if (item === null) return new ItemProblem('associative list with keys may not have a null element')
  if (!isObject(item)) return new ItemProblem('associative list with keys may not have non-map elements')
  if (list.keys.length === 1) {
    const name = list.keys[0] as string
    const value = Object.hasOwn(item, name) ? item[name] : undefined
    // Most lists have one key that is a text: this is the same element, made faster.
    if (typeof value === 'string')
      return `k:{${escapeHtml(`${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`
  }
  const keys: { [key: string]: JsonValue | undefined } = {}
  for (const name of list.keys) {
    const value = keyValue(list, item, name)
    if (value !== undefined) setMember(keys, name, value)
  }
  if (Object.keys(keys).length === 0) {
    const names = list.keys.map((k) => JSON.stringify(k)).join(' ')
    return new ItemProblem(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    )
  }
  return keyElement(keys)
}

function keyValue(list: ListType, item: JsonObject, name: string): JsonValue | undefined {
  const own = Object.hasOwn(item, name) ? item[name] : undefined
  if (own !== undefined) return own
  return list.element.atom.map?.fields.get(name)?.default ?? undefined
}

function setElement(item: JsonValue): PathElement | ItemProblem {
  if (typeof item === 'string') return `v:${escapeHtml(JSON.stringify(item))}`
  if (item === null)
    return new ItemProblem("associative list without keys has an element that's an explicit null")
  if (isArray(item)) return new ItemProblem('not supported: associative list with lists as elements')
  if (isObject(item)) return new ItemProblem("associative list without keys has an element that's a map type")
  return valueElement(item)
}
