/** Mentions of bindings in texts: `$(NAME)`, and `$$(NAME)` for the text itself. What is not declared is left alone. */
import {
  base64ToBytes,
  bytesToBase64,
  encodeJson,
  isArray,
  isObject,
  isSecret,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  setMember,
} from '@lockstep/kube/object'

/** What a name stands for. */
export interface BoundValue {
  readonly value: JsonValue
  /** It comes of a Secret, or of what does. */
  readonly secret?: true
}

/** By name: everything that is declared and has a value. */
export type Values = ReadonlyMap<string, BoundValue>

/** Of `$$$(NAME)` the first is a dollar like any other. */
const MENTION = /(\$?)\$\(([A-Za-z_][A-Za-z0-9_]*)\)/g

/** Names that a text mentions, also as `$$(NAME)`. */
export const mentionsIn = (text: string): string[] =>
  text.includes('$(') ? [...text.matchAll(MENTION)].map((m) => m[2]!) : []

/** Names whose values a text takes: `$$(NAME)` takes none. */
export const takenIn = (text: string): string[] =>
  text.includes('$(') ? [...text.matchAll(MENTION)].flatMap((m) => (m[1] === '' ? [m[2]!] : [])) : []

/** Every name that objects mention, sorted. */
export function mentioned(objects: readonly KubeObject[]): string[] {
  const found = new Set<string>()
  for (const o of objects)
    eachText(textsOf(o) as unknown as JsonValue, (text) => {
      for (const name of mentionsIn(text)) found.add(name)
    })
  return [...found].sort()
}

/** Calls for each text of a value, with its path; names of members are none. */
export function eachText(
  value: JsonValue | undefined,
  see: (text: string, path: readonly string[]) => void,
  path: readonly string[] = [],
): void {
  if (isString(value)) see(value, path)
  else if (isArray(value)) for (const [i, v] of value.entries()) eachText(v, see, [...path, String(i)])
  else if (isObject(value)) for (const [k, v] of Object.entries(value)) eachText(v, see, [...path, k])
}

/** A text with its mentions replaced, as text. */
export function boundText(text: string, values: Values): string {
  if (!text.includes('$(')) return text
  return text.replace(MENTION, (whole: string, dollar: string, name: string) => {
    const found = values.get(name)
    if (!found) return whole
    return dollar === '' ? valueAsText(found.value) : whole.slice(1)
  })
}

/** A text that is nothing but a mention takes the value as it is. */
function boundScalar(text: string, values: Values): JsonValue {
  const found = text.startsWith('$(') && text.endsWith(')') ? values.get(text.slice(2, -1)) : undefined
  return found ? found.value : boundText(text, values)
}

/** A value within a text. */
export const valueAsText = (value: JsonValue): string => (isString(value) ? value : encodeJson(value))

/**
 * An object with its mentions replaced. It has been parsed: a value is one scalar, whatever stands in it. Data of a Secret is
 * text before it is encoded.
 */
export function boundObject(o: KubeObject, values: Values): KubeObject {
  const { data, ...rest } = o as KubeObject & { data?: JsonValue }
  const isEncoded = isEncodedData(o)
  const bound = replaced((isEncoded ? rest : o) as unknown as JsonValue, values) as unknown as KubeObject
  return isEncoded ? ({ ...bound, data: boundData(data as JsonObject, values) } as KubeObject) : bound
}

const isEncodedData = (o: KubeObject): boolean =>
  isSecret(o) && o.apiVersion === 'v1' && isObject((o as { data?: unknown }).data)

function replaced(value: JsonValue, values: Values): JsonValue {
  if (isString(value)) return boundScalar(value, values)
  if (isArray(value)) return value.map((v) => replaced(v, values))
  if (!isObject(value)) return value
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const [k, v] of Object.entries(value)) setMember(out, k, v === undefined ? v : replaced(v, values))
  return out
}

function boundData(data: JsonObject, values: Values): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const [k, v] of Object.entries(data)) {
    const text = isString(v) ? decoded(v) : undefined
    const next = text === undefined ? undefined : boundText(text, values)
    setMember(out, k, next === undefined || next === text ? v : bytesToBase64(new TextEncoder().encode(next)))
  }
  return out
}

/** Undefined: it is not a text. */
function decoded(encoded: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(base64ToBytes(encoded))
  } catch {
    return undefined
  }
}

/** With the data of a Secret as text. */
export function textsOf(o: KubeObject): KubeObject {
  if (!isEncodedData(o)) return o
  const { data } = o as KubeObject & { data: JsonObject }
  const texts = Object.entries(data).map(([k, v]) => [k, (isString(v) ? decoded(v) : undefined) ?? v])
  return { ...o, data: Object.fromEntries(texts) } as KubeObject
}
