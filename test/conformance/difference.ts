import type { JsonValue } from '../../packages/kube/src/object/index.ts'
import { encodeJson, isArray, isObject, jsonEqual } from '../../packages/kube/src/object/index.ts'

const shown = (v: JsonValue | undefined): string => (v === undefined ? 'nothing' : encodeJson(v))

/** Where two values differ, a line each: `path: expected … got …`. Absent and null are different. */
export function differences(
  path: string,
  expected: JsonValue | undefined,
  got: JsonValue | undefined,
): string[] {
  if (expected === undefined && got === undefined) return []
  if (expected !== undefined && got !== undefined && jsonEqual(expected, got)) return []
  if (isObject(expected) && isObject(got)) {
    const keys = [...new Set([...Object.keys(expected), ...Object.keys(got)])]
    return keys.flatMap((k) => differences(`${path}.${k}`, expected[k], got[k]))
  }
  if (isArray(expected) && isArray(got) && expected.length === got.length)
    return expected.flatMap((v, i) => differences(`${path}[${i}]`, v, got[i]))
  return [`${path}: expected ${shown(expected)} got ${shown(got)}`]
}
