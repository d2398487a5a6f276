import { compareText, escapeHtml, goJson, type PathElement, valueElement } from '@lockstep/kube/fields'
import { isArray, isObject, type JsonObject, type JsonValue } from '@lockstep/kube/object'
import type { ListType } from './atom.ts'

/**
 * The path element of an item of an associative list, or what is wrong with the item: keys may be left out if they have
 * a default or if others are there (structured-merge-diff `typed/helpers.go`).
 */
export function itemElement(list: ListType, item: JsonValue): PathElement | ItemProblem {
  if (list.keys.length === 0) return setElement(item)
  if (!isObject(item)) return keyedElement(list, item)
  let known = elements.get(list)
  if (known === undefined) {
    known = new WeakMap()
    elements.set(list, known)
  }
  let element = known.get(item)
  if (element === undefined) {
    element = keyedElement(list, item)
    known.set(item, element)
  }
  return element
}

/** Items are shared and frozen, and each is looked at several times in a write: its element is made once. */
const elements = new WeakMap<ListType, WeakMap<JsonObject, PathElement | ItemProblem>>()

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
  let text = ''
  for (const { name, quoted } of keyNames(list)) {
    const value = keyValue(list, item, name)
    if (value !== undefined) text += `${text === '' ? '' : ','}${quoted}:${goJson(value)}`
  }
  if (text !== '') return `k:{${text}}`
  const names = list.keys.map((k) => JSON.stringify(k)).join(' ')
  return new ItemProblem(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  )
}

interface KeyName {
  readonly name: string
  readonly quoted: string
}

const names = new WeakMap<ListType, readonly KeyName[]>()

/** Keys in the order in which an element lists them. */
function keyNames(list: ListType): readonly KeyName[] {
  let known = names.get(list)
  if (known === undefined) {
    known = [...list.keys].sort(compareText).map((name) => ({ name, quoted: goJson(name) }))
    names.set(list, known)
  }
  return known
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
