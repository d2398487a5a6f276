import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  setMember,
} from '@lockstep/kube/object'
import type { ListType, MapType, TypeRef } from './atom.ts'
import { formsOf, LIST, leadingForm, MAP, memberType } from './atom.ts'
import { mergeLists } from './mergelist.ts'

/**
 * Merges a configuration over a live value: nothing is removed, leaves of the configuration win (structured-merge-diff
 * `typed/merge.go`). The live value itself comes back if the configuration changes nothing in it, at every depth.
 */
export function mergeTypedValues(
  live: JsonValue | undefined,
  config: JsonValue | undefined,
  type: TypeRef | undefined,
): JsonValue | undefined {
  if (config === undefined || live === config) return live
  if (live === undefined || type === undefined) return config
  const atom = type.atom
  switch (leadingForm(formsOf(atom, config))) {
    case MAP:
      return mergeMaps(live, config, atom.map as MapType)
    case LIST:
      return mergeListValues(live, config, atom.list as ListType)
    default:
      return live === config ? live : keepEqual(live, config)
  }
}

/** Equal leaves stay what they are, so that an unchanged object is the same object. */
const keepEqual = (live: JsonValue, config: JsonValue): JsonValue => (jsonEqual(live, config) ? live : config)

const members = (v: JsonValue): JsonObject | undefined => (isObject(v) ? v : undefined)

function mergeMaps(live: JsonValue, config: JsonValue, type: MapType): JsonValue | undefined {
  const [l, r] = [members(live), members(config)]
  // Two empty ones are a leaf, so that null and {} stay apart.
  if (type.isAtomic || (isVoid(l) && isVoid(r))) return keepEqual(live, config)
  if (r === undefined) return l
  const out: { [key: string]: JsonValue | undefined } = {}
  let isChanged = l === undefined
  let count = 0
  const take = (key: string, value: JsonValue | undefined): void => {
    if (value === undefined) return
    setMember(out, key, value)
    count++
  }
  for (const key of l === undefined ? [] : Object.keys(l)) {
    const before = l?.[key]
    if (before === undefined) continue
    const after = mergeTypedValues(before, Object.hasOwn(r, key) ? r[key] : undefined, memberType(type, key))
    if (after !== before) isChanged = true
    take(key, after)
  }
  for (const key of Object.keys(r)) {
    if (r[key] === undefined || (l !== undefined && Object.hasOwn(l, key) && l[key] !== undefined)) continue
    isChanged = true
    take(key, r[key])
  }
  if (!isChanged) return live
  return count > 0 ? out : undefined
}

function isVoid(v: JsonObject | undefined): boolean {
  if (v !== undefined) for (const key of Object.keys(v)) if (v[key] !== undefined) return false
  return true
}

function mergeListValues(live: JsonValue, config: JsonValue, type: ListType): JsonValue | undefined {
  const l = isArray(live) ? live : []
  const r = isArray(config) ? config : []
  if (type.isAtomic || (l.length === 0 && r.length === 0)) return keepEqual(live, config)
  if (r.length === 0) return isArray(live) ? live : undefined
  const out = mergeLists(l, r, type, mergeTypedValues)
  if (out.length === l.length && out.every((v, i) => v === l[i])) return live
  return out.length > 0 ? out : undefined
}
