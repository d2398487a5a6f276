/** How values files come together: with each other, then with the defaults of the chart (Helm's MergeMaps and CoalesceTables). */
import { isObject, type JsonObject, type JsonValue, member, setMember } from '@lockstep/kube/object'

type MergedMembers = { [key: string]: JsonValue | undefined }

/** Maps by key; everything else replaces, null too, which stays. */
export function mergeValues(lower: JsonObject, upper: JsonObject): JsonObject {
  const out: MergedMembers = {}
  for (const key of Object.keys(lower)) setMember(out, key, lower[key])
  for (const key of Object.keys(upper)) {
    const [below, above] = [member(lower, key), upper[key]]
    setMember(out, key, isObject(below) && isObject(above) ? mergeValues(below, above) : above)
  }
  return out
}

/** Maps by key; a null takes the default away, where there is one; a map gives way to what is none. */
export function overDefaults(values: JsonObject, defaults: JsonObject): JsonObject {
  const out: MergedMembers = {}
  for (const key of Object.keys(values)) {
    const [value, fallback] = [values[key], member(defaults, key)]
    if (value === null && fallback !== undefined) continue
    setMember(out, key, isObject(value) && isObject(fallback) ? overDefaults(value, fallback) : value)
  }
  for (const key of Object.keys(defaults))
    if (member(values, key) === undefined) setMember(out, key, defaults[key])
  return out
}
