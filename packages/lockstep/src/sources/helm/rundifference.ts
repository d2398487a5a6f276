/** Where two runs of the same chart differ. Pure. */
import { at, isArray, isObject, isString, type JsonValue, jsonEqual } from '@lockstep/kube/object'
import type { FactsOf } from '../../api/reasons/index.ts'
import type { SourceManifest } from '../intake/renderplain.ts'

/** The first difference, without values; undefined if the runs are equal. */
export function runDifference(
  first: readonly SourceManifest[],
  second: readonly SourceManifest[],
): FactsOf<'NondeterministicRender'> | undefined {
  const before = byName(first)
  const after = byName(second)
  for (const [name, m] of before) {
    const other = after.get(name)
    if (!other) return { object: name, file: m.origin }
    if (jsonEqual(plain(m), plain(other))) continue
    return { object: name, path: pathTo(plain(m), plain(other)).slice(1), file: m.origin }
  }
  const added = [...after].find(([name]) => !before.has(name))
  return added && { object: added[0], file: added[1].origin }
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
