import { isArray, isObject, type JsonValue, setMember } from '../../../packages/kube/src/object/index.ts'

/** The same value with the members of its maps in another order: always the same one for a seed. */
export function shuffled(value: JsonValue, seed: number): JsonValue {
  let state = seed
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const walk = (v: JsonValue | undefined): JsonValue | undefined => {
    if (isArray(v)) return v.map((item) => walk(item) as JsonValue)
    if (!isObject(v)) return v
    const keys = Object.keys(v)
    for (let i = keys.length - 1; i > 0; i--) {
      const j = random(i + 1)
      ;[keys[i], keys[j]] = [keys[j]!, keys[i]!]
    }
    const out: { [key: string]: JsonValue | undefined } = {}
    for (const key of keys) setMember(out, key, walk(v[key]))
    return out
  }
  return walk(value) as JsonValue
}
