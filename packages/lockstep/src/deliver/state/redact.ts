/** Texts for people, without what comes of Secrets: servers quote what they refuse. Pure. */

import { bytesToBase64, encodeJson, isArray, isObject, isString, type JsonValue } from '@lockstep/kube/object'
import { type BoundValue, valueAsText } from '../../decisions/binding/index.ts'

/** Shorter texts are no secrets, and would take everything else along. */
const LEAST = 4

/**
 * Values as they may turn up in a text: whole, by line, quoted as JSON and Go quote, in base64, in hexadecimal digits and in a
 * URL. The longer ones first: they may hold others.
 */
export function formsOf(values: readonly string[]): string[] {
  const forms = new Set(values.flatMap(formsOfOne).filter((v) => v.length >= LEAST))
  return [...forms].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
}

function formsOfOne(value: string): string[] {
  const plain = value.trim()
  const bytes = new TextEncoder().encode(value)
  const quoted = encodeJson(value).slice(1, -1)
  const base64 = bytesToBase64(bytes)
  return [
    plain,
    ...plain.split('\n').map((l) => l.trim()),
    quoted,
    quoted.trim(),
    // Quoted once more, as a message within a message is.
    encodeJson(quoted).slice(1, -1),
    base64,
    base64.replace(/=+$/, ''),
    base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
    [...bytes].map((b) => b.toString(16).padStart(2, '0')).join(''),
    encodeURIComponent(plain),
    encodeURIComponent(plain).replaceAll('%20', '+'),
  ]
}

/** Of those that come of Secrets. */
export const textsToRedact = (values: Iterable<BoundValue>): string[] =>
  formsOf([...values].flatMap(({ value, secret }) => (secret ? leavesOf(value) : [])))

function leavesOf(value: JsonValue | undefined): string[] {
  if (isArray(value)) return value.flatMap(leavesOf)
  if (isObject(value)) return Object.values(value).flatMap(leavesOf)
  return value === undefined || value === null || typeof value === 'boolean' ? [] : [valueAsText(value)]
}

export const redactText = (text: string, forms: readonly string[]): string =>
  forms.reduce((shown, form) => shown.replaceAll(form, '***'), text)

/** In all messages and facts of a value. */
export function redactMessages<T>(value: T, forms: readonly string[]): T {
  if (forms.length === 0) return value
  const walk = (v: unknown, isText: boolean): unknown => {
    if (isString(v)) return isText ? redactText(v, forms) : v
    if (isArray(v)) return v.map((x) => walk(x, isText))
    if (!isObject(v)) return v
    return Object.fromEntries(
      Object.entries(v).map(([k, x]) => [k, walk(x, isText || k === 'message' || k === 'facts')]),
    )
  }
  return walk(value, false) as T
}
