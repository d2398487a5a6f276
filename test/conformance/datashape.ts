import type { JsonObject, JsonValue } from '../../packages/kube/src/object/index.ts'
import { isArray, isObject, isString } from '../../packages/kube/src/object/index.ts'
import { BadInput } from './conformancekind.ts'

/** An object with these members and no others: a member that nobody reads is a check that nobody makes. */
export function objectOf(v: JsonValue | undefined, what: string, members: readonly string[]): JsonObject {
  if (!isObject(v)) throw new BadInput(`${what} must be an object`)
  for (const key of Object.keys(v))
    if (!members.includes(key))
      throw new BadInput(`${what === 'case' ? '' : `${what}: `}unknown member "${key}"`)
  return v
}

export function textOf(v: JsonValue | undefined, what: string): string {
  if (!isString(v)) throw new BadInput(`${what} must be a string`)
  return v
}

export function listOf(v: JsonValue | undefined, what: string): readonly JsonValue[] {
  if (!isArray(v)) throw new BadInput(`${what} must be an array`)
  return v
}
