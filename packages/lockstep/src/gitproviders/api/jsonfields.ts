/** Members of an answer, where they are of the kind that is wanted; null counts as absent. */
import { at, isString, type JsonValue } from '@lockstep/kube/object'

export function jsonField(json: JsonValue | undefined, ...path: readonly string[]): string | undefined {
  const v = at(json, ...path)
  return isString(v) ? v : undefined
}

export function jsonNumberField(json: JsonValue | undefined, ...path: readonly string[]): number | undefined {
  const v = at(json, ...path)
  return typeof v === 'number' ? v : undefined
}

export function jsonFlagField(json: JsonValue | undefined, ...path: readonly string[]): boolean | undefined {
  const v = at(json, ...path)
  return typeof v === 'boolean' ? v : undefined
}
