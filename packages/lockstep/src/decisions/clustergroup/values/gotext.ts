/**
 * Values as Go prints them, since templates are Go's: `%v` and `%s` of package fmt, and what counts as true in text/template.
 */
import { isArray, isObject, isString, type JsonValue } from '@lockstep/kube/object'

type TemplateValue = JsonValue | undefined

/** From which power of ten on `%v` writes an exponent; below the other one, too. */
const LARGE = 6
const SMALL = -4

/** The shortest digits that are this double: `999999`, `1e+06`, `1.234567e+06`, `1e-05`. */
export function goNumber(value: number): string {
  const [digits = '', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (value === 0 || (exponent >= SMALL && exponent < LARGE)) return String(value)
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** A value in a template: a text as it is, nothing where there is none. */
export const templateText = (v: TemplateValue): string => (v === null || v === undefined ? '' : printed(v))

function printed(v: TemplateValue): string {
  if (v === null || v === undefined) return '<nil>'
  if (isString(v)) return v
  if (typeof v === 'number') return goNumber(v)
  if (isArray(v)) return `[${v.map(printed).join(' ')}]`
  if (isObject(v)) return `map[${members(v, printed)}]`
  return String(v)
}

/** `%s`: what is not a text says so. */
export function goText(v: TemplateValue): string {
  if (isString(v)) return v
  if (v === null || v === undefined) return '%!s(<nil>)'
  if (typeof v === 'number') return `%!s(float64=${goNumber(v)})`
  if (isArray(v)) return `[${v.map(goText).join(' ')}]`
  if (isObject(v)) return `map[${members(v, goText)}]`
  return `%!s(bool=${v})`
}

const members = (v: { readonly [key: string]: TemplateValue }, shown: (v: TemplateValue) => string): string =>
  Object.keys(v)
    .sort()
    .map((key) => `${key}:${shown(v[key])}`)
    .join(' ')

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
const PRINTED = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

/** `%q` of a text, which is `quote` of Sprig: what is not printed is escaped (Go `strconv.Quote`). */
export function goQuote(text: string): string {
  return `"${Array.from(text, escaped).join('')}"`
}

function escaped(c: string): string {
  const known = ESCAPES[c]
  if (known !== undefined || PRINTED.test(c)) return known ?? c
  const hex = c.codePointAt(0)!.toString(16)
  if (hex.length <= 2 && c < '\u0080') return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** Not: false, 0, null, and what is empty. */
export function isTruthy(v: TemplateValue): boolean {
  if (isArray(v)) return v.length > 0
  if (isObject(v)) return Object.keys(v).length > 0
  return v !== undefined && v !== null && v !== false && v !== 0 && v !== ''
}
