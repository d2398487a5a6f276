import { encodeJson } from '../object/encode.ts'
import { isArray, isObject, type JsonValue } from '../object/json.ts'

const SHORT: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\u000b': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}

/** A string as Go's `%q` writes it. Messages of Kubernetes quote with it. */
export function goQuote(s: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
  const body = s.replace(/["\\\u0000-\u001f\u007f]/g, (c) => {
    return SHORT[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `"${body}"`
}

/** A value as Go's `%v` writes a decoded JSON value: `map[a:1 b:[x y]]`. */
export function goValue(v: JsonValue | undefined): string {
  if (v === null || v === undefined) return '<nil>'
  if (isArray(v)) return `[${v.map(goValue).join(' ')}]`
  if (isObject(v)) {
    const parts = sortedKeys(v).map((k) => `${k}:${goValue(v[k])}`)
    return `map[${parts.join(' ')}]`
  }
  return String(v)
}

/** A value as Go's `%#v` writes a decoded JSON value. */
export function goSyntax(v: JsonValue | undefined): string {
  if (v === null || v === undefined) return 'interface {}(nil)'
  if (typeof v === 'string') return goQuote(v)
  if (isArray(v)) return `[]interface {}{${v.map(goSyntax).join(', ')}}`
  if (isObject(v)) {
    const parts = sortedKeys(v).map((k) => `${goQuote(k)}:${goSyntax(v[k])}`)
    return `map[string]interface {}{${parts.join(', ')}}`
  }
  return String(v)
}

/** The Go type of a decoded JSON value, `%T`. */
export function goType(v: JsonValue | undefined): string {
  if (v === null || v === undefined) return '<nil>'
  if (isArray(v)) return '[]interface {}'
  if (typeof v === 'boolean') return 'bool'
  if (typeof v === 'number') return Number.isInteger(v) ? 'int64' : 'float64'
  if (typeof v === 'bigint') return 'int64'
  return typeof v === 'string' ? 'string' : 'map[string]interface {}'
}

/** JSON as Go's encoder writes it: object keys sorted, `<`, `>` and `&` escaped. */
export function goJson(v: JsonValue): string {
  if (typeof v === 'string') return escapeHtml(JSON.stringify(v))
  if (v === null || typeof v !== 'object') return String(v)
  return escapeHtml(encodeJson(sortDeep(v)))
}

/** Go's encoder keeps JSON safe inside of HTML; fieldsV1 keys and messages carry these escapes. */
export function escapeHtml(json: string): string {
  return /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json
}

function sortDeep(v: JsonValue): JsonValue {
  if (isArray(v)) return v.map(sortDeep)
  if (!isObject(v)) return v
  return Object.fromEntries(sortedKeys(v).map((k) => [k, sortDeep(v[k] as JsonValue)]))
}

const sortedKeys = (v: Readonly<Record<string, JsonValue | undefined>>): string[] =>
  Object.keys(v)
    .filter((k) => v[k] !== undefined)
    .sort()
