import { parseJson } from '../object/encode.ts'
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from '../object/json.ts'
import { goJson, goQuote } from './gosyntax.ts'

/**
 * One step of a field path as `metadata.managedFields` writes it: `f:name`, `k:{"port":80}`, `v:"x"`, `i:0`. Always in
 * canonical form (keys sorted, no spaces), so that equal steps are equal strings. Format: structured-merge-diff
 * `fieldpath/serialize-pe.go`.
 */
export type PathElement = string

export const fieldElement = (name: string): PathElement => `f:${name}`

export const valueElement = (value: JsonValue): PathElement => `v:${goJson(value)}`

/**
 * Reads a step somebody else wrote. Undefined for kinds of steps that only a later version knows: they are dropped.
 * @throws Error if it is malformed
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long')
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`)
  const body = text.slice(2)
  switch (text[0]) {
    case 'f':
      return text
    case 'v':
      return valueElement(parseJson(body))
    case 'k': {
      const keys = parseJson(body)
      if (!isObject(keys)) throw new Error(`expected an object of keys: ${text}`)
      return `k:${goJson(keys)}`
    }
    case 'i':
      if (!/^[-+]?\d+$/.test(body)) throw new Error(`invalid index: ${text}`)
      return `i:${Number(body)}`
    default:
      return undefined
  }
}

/** As messages show it: `.name`, `[port=80,protocol="TCP"]`, `[="x"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const body = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${body}`
    case 'k':
      return `[${Object.entries(parseJson(body) as JsonObject)
        .map(([name, v]) => `${name}=${printValue(v as JsonValue)}`)
        .join(',')}]`
    case 'v':
      return `[=${printValue(parseJson(body))}]`
    default:
      return `[${body}]`
  }
}

function printValue(v: JsonValue): string {
  if (typeof v === 'string') return goQuote(v)
  if (isArray(v)) return `[${v.map(printValue).join(',')}]`
  if (!isObject(v)) return String(v)
  return Object.entries(v)
    .map(([name, member]) => `${name}=${printValue(member as JsonValue)}`)
    .join('')
}

const KINDS = 'fkvi'

/**
 * Steps of one level in the order in which they are written and listed: names, then keys, then values, then indices.
 * Each is read once, however often it is compared.
 */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const all = [...elements]
  if (all.length < 2) return all
  if (all.every((e) => e.charCodeAt(0) === F)) return all.sort(compareText)
  const read = all.map((element) => ({
    element,
    kind: KINDS.indexOf(element[0] ?? ''),
    value: bodyOf(element),
  }))
  read.sort((a, b) => a.kind - b.kind || compareBodies(a.kind, a.value, b.value))
  return read.map((r) => r.element)
}

const F = 'f'.charCodeAt(0)

const bodyOf = (e: PathElement): JsonValue => (e.charCodeAt(0) === F ? e.slice(2) : parseJson(e.slice(2)))

const compareBodies = (kind: number, a: JsonValue, b: JsonValue): number =>
  kind === 0
    ? compareText(a as string, b as string)
    : kind === 1
      ? compareObjects(a as JsonObject, b as JsonObject)
      : compareValues(a, b)

/** Texts in the order of their UTF-8 bytes, as Go compares them. */
export function compareText(a: string, b: string): number {
  const n = Math.min(a.length, b.length)
  for (let i = 0; i < n; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    // UTF-16 puts code points beyond the first plane before U+E000, UTF-8 puts them last.
    return rankUnit(x) - rankUnit(y)
  }
  return a.length - b.length
}

const rankUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

function kindRank(v: JsonValue): number {
  if (typeof v === 'number' || typeof v === 'bigint') return 0
  if (typeof v === 'string') return 1
  if (typeof v === 'boolean') return 2
  if (isArray(v)) return 3
  return v === null ? 5 : 4
}

function compareValues(a: JsonValue, b: JsonValue): number {
  const kind = kindRank(a) - kindRank(b)
  if (kind !== 0) return kind
  if (typeof a === 'string') return compareText(a, b as string)
  if (isArray(a)) return compareLists(a, b as JsonArray)
  if (isObject(a)) return compareObjects(a, b as JsonObject)
  if (a === null || b === null) return 0
  return a < b ? -1 : a > b ? 1 : 0
}

function compareLists(a: JsonArray, b: JsonArray): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const c = compareValues(a[i] as JsonValue, b[i] as JsonValue)
    if (c !== 0) return c
  }
  return a.length - b.length
}

function compareObjects(a: JsonObject, b: JsonObject): number {
  const [ka, kb] = [Object.keys(a).sort(compareText), Object.keys(b).sort(compareText)]
  for (let i = 0; i < ka.length && i < kb.length; i++) {
    const [x, y] = [ka[i] as string, kb[i] as string]
    const c = compareText(x, y) || compareValues(a[x] as JsonValue, b[y] as JsonValue)
    if (c !== 0) return c
  }
  return ka.length - kb.length
}
