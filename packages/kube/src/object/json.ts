/**
 * JSON values as Kubernetes means them: integers are exact to int64, so one that a double cannot hold is a
 * `bigint` (docs/adr/0001). Every other number is a JavaScript number.
 */
export type JsonValue = null | boolean | number | string | bigint | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

export const isObject = (v: unknown): v is JsonObject =>
  typeof v === 'object' && v !== null && !Array.isArray(v)
export const isArray = (v: unknown): v is JsonArray => Array.isArray(v)
export const isString = (v: unknown): v is string => typeof v === 'string'

const has = Object.prototype.hasOwnProperty

/** An own member; names such as `constructor` are data, never inherited ones. */
export function member(v: unknown, name: string): JsonValue | undefined {
  return isObject(v) && has.call(v, name) ? v[name] : undefined
}

/** Follows own members; array elements by index. Absent anywhere means undefined. */
export function at(v: unknown, ...path: readonly (string | number)[]): JsonValue | undefined {
  let here: unknown = v
  for (const step of path) {
    here = typeof step === 'number' ? (isArray(here) ? here[step] : undefined) : member(here, step)
    if (here === undefined) return undefined
  }
  return here as JsonValue
}

/** Sets a member as data, also when it is called `__proto__`. */
export function setMember(
  target: { [key: string]: JsonValue | undefined },
  name: string,
  value: JsonValue | undefined,
): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  else target[name] = value
}

/** Structural equality: key order is nothing, array order is. An undefined member counts as absent. `1` and `1n` are equal. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'bigint' || typeof b === 'bigint') return sameInteger(a, b)
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!jsonEqual(a[i], b[i])) return false
    return true
  }
  if (!isObject(a) || !isObject(b)) return false
  const keysA = definedKeys(a)
  if (keysA.length !== definedKeys(b).length) return false
  for (const key of keysA)
    if (!has.call(b, key) || b[key] === undefined || !jsonEqual(a[key], b[key])) return false
  return true
}

function sameInteger(a: unknown, b: unknown): boolean {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a === b
  if (typeof a === 'bigint' && typeof b === 'number') return Number.isInteger(b) && BigInt(b) === a
  return typeof a === 'number' && typeof b === 'bigint' && sameInteger(b, a)
}

function definedKeys(o: JsonObject): string[] {
  return Object.keys(o).filter((k) => o[k] !== undefined)
}

/** Freezes in depth. Frozen values are shared without copying; whoever wants to change one builds a new one. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const child of Object.values(value)) deepFreeze(child)
  return value
}

/** A deep copy that may be changed. */
export function deepCopy<T extends JsonValue | undefined>(value: T): T {
  if (isArray(value)) return value.map((v) => deepCopy(v)) as unknown as T
  if (!isObject(value)) return value
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(value)) setMember(out, key, deepCopy(value[key]))
  return out as T
}

/** `T` whose members may be set, in depth. */
export type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T
