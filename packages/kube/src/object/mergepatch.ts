import type { JsonValue } from './json.ts'
import { isObject, jsonEqual, member, setMember } from './json.ts'

/** JSON Merge Patch, RFC 7396: null removes, also inside new maps; lists are replaced whole. */
export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch
  const out: { [key: string]: JsonValue | undefined } = {}
  if (isObject(target)) for (const key of Object.keys(target)) setMember(out, key, target[key])
  for (const key of Object.keys(patch)) {
    const value = patch[key]
    if (value === undefined) continue
    if (value === null) delete out[key]
    else setMember(out, key, applyMergePatch(Object.hasOwn(out, key) ? out[key] : undefined, value))
  }
  return out
}

/** The merge patch that makes `to` of `from`; `{}`: they are equal. `to` has no nulls in maps. */
export function mergePatchBetween(from: JsonValue | undefined, to: JsonValue): JsonValue {
  if (!isObject(from) || !isObject(to)) return to
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const key of Object.keys(from)) if (member(to, key) === undefined) setMember(out, key, null)
  for (const key of Object.keys(to)) {
    const [before, after] = [member(from, key), member(to, key)]
    if (after === undefined || (before !== undefined && jsonEqual(before, after))) continue
    setMember(out, key, mergePatchBetween(before, after))
  }
  return out
}
