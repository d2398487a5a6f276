import { type CelValue, is, type MapValue } from './celvalue.ts'

/**
 * A key by which equal CEL keys meet: 1, 1u and 1.0 are one key, as Kubernetes compares numbers across types.
 * Undefined for what can be no key.
 */
export function keyOf(v: CelValue): string | undefined {
  if (typeof v === 'string') return `s${v}`
  if (typeof v === 'bigint') return `n${v}`
  if (typeof v === 'boolean') return `b${v}`
  if (typeof v === 'number') return Number.isInteger(v) ? `n${BigInt(v)}` : `d${v}`
  return is(v, 'uint') ? `n${v.value}` : undefined
}

/** A map of entries; of equal keys the last one stays, at the place of the first. */
export function mapValueOf(entries: Iterable<readonly [CelValue, CelValue]>): MapValue {
  const known = new Map<string, readonly [CelValue, CelValue]>()
  for (const entry of entries) {
    const key = keyOf(entry[0])
    if (key !== undefined) known.set(key, entry)
  }
  return {
    kind: 'map',
    get size() {
      return known.size
    },
    find(key) {
      const k = keyOf(key)
      return k === undefined ? undefined : known.get(k)?.[1]
    },
    keys: () => [...known.values()].map(([k]) => k),
  }
}
