import type { JsonValue } from './json.ts'
import { isObject, setMember } from './json.ts'

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
