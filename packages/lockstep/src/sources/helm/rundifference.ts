/** Where two runs of the same chart differ. Pure. */
import { at, isArray, isObject, isString, type JsonValue, jsonEqual } from '@lockstep/kube/object'
import type { SourceManifest } from '../intake/renderplain.ts'

/** The first difference, for people; it shows no values. Undefined: there is none. */
export function runDifference(
  first: readonly SourceManifest[],
  second: readonly SourceManifest[],
): string | undefined {
  const before = byName(first)
  const after = byName(second)
  for (const [name, m] of before) {
    const other = after.get(name)
    if (!other) return `${name} is the result of one of two runs only (${m.origin})`
    if (jsonEqual(plain(m), plain(other))) continue
    return `${name}: ${pathTo(plain(m), plain(other)).slice(1)} differs between two runs (${m.origin})`
  }
  const added = [...after].find(([name]) => !before.has(name))
  return added && `${added[0]} is the result of one of two runs only (${added[1].origin})`
}

/** Objects that share a name are told apart by their turn. */
function byName(manifests: readonly SourceManifest[]): Map<string, SourceManifest> {
  const out = new Map<string, SourceManifest>()
  for (const m of manifests) {
    const name = nameOf(m)
    let key = name
    for (let turn = 2; out.has(key); turn++) key = `${name} (${turn})`
    out.set(key, m)
  }
  return out
}

function nameOf({ object }: SourceManifest): string {
  const parts = ['namespace', 'name'].map((k) => at(object, 'metadata', k)).filter(isString)
  return `${object.kind} ${parts.join('/')}`
}

const plain = ({ object }: SourceManifest): JsonValue => object as unknown as JsonValue

/** `.data.password`, `.spec.ports[0].port`: the way to the first of the deepest values that differ. */
function pathTo(a: JsonValue | undefined, b: JsonValue | undefined): string {
  if (isArray(a) && isArray(b) && a.length === b.length) {
    const i = a.findIndex((item, n) => !jsonEqual(item, b[n]!))
    return `[${i}]${pathTo(a[i], b[i])}`
  }
  if (!isObject(a) || !isObject(b)) return ''
  const key = [...new Set([...Object.keys(a), ...Object.keys(b)])].find((k) => {
    const [x, y] = [a[k], b[k]]
    return x === undefined || y === undefined ? x !== y : !jsonEqual(x, y)
  })
  return key === undefined ? '' : `.${key}${pathTo(a[key], b[key])}`
}
