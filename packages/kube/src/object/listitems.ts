import { isArray, isObject, isString, type JsonObject, type JsonValue } from './json.ts'

export interface ListItem {
  readonly value: JsonObject
  /** Its place in `items`. */
  readonly index: number
}

const SUFFIX = 'List'

/**
 * The items of a list (`List`, `RoleList`), as kubectl takes one: by its member `items`, also where that is null; undefined: not a list.
 * Items of a typed list may leave out apiVersion and kind. A kind of its own may end in `List`: such an object has a name.
 * A list that is refused: the problem and its place.
 */
export function listItems(
  value: JsonValue,
):
  | { readonly items: readonly ListItem[] }
  | { readonly problem: string; readonly path: readonly (string | number)[] }
  | undefined {
  if (!isObject(value)) return undefined
  const { apiVersion, kind, items, metadata } = value
  if (!isString(kind) || !kind.endsWith(SUFFIX)) return undefined
  if (items === undefined && isObject(metadata) && metadata.name !== undefined) return undefined
  if (items === undefined) return { problem: 'has no items; write items: []', path: [] }
  if (items === null) return { items: [] }
  if (!isArray(items)) return { problem: 'items: is not a list; write items: []', path: ['items'] }
  const wrong = items.findIndex((item) => !isObject(item))
  if (wrong >= 0) {
    const found = items[wrong] === null ? 'null' : 'not an object'
    return { problem: `items[${wrong}] is ${found}`, path: ['items', wrong] }
  }
  const type = kind === SUFFIX ? {} : { apiVersion, kind: kind.slice(0, -SUFFIX.length) }
  return { items: items.map((item, index) => ({ value: { ...type, ...(item as JsonObject) }, index })) }
}
