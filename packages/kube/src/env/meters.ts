import type { Labels, MemoryMeters, Sample } from './env.ts'
import { WatchCount } from './watchcount.ts'

/** Samples kept in memory, with details. */
export function createMeters(): MemoryMeters {
  const samples = new Map<string, { name: string; labels: Labels; value: number; count?: number }>()
  const slot = (name: string, labels: Labels) => {
    const key = `${name}{${Object.entries(labels)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => `${k}=${v}`)
      .join(',')}}`
    let found = samples.get(key)
    if (!found) {
      found = { name, labels, value: 0 }
      samples.set(key, found)
    }
    return found
  }
  return {
    count(name, labels, by = 1) {
      slot(name, labels).value += by
    },
    observe(name, labels, value) {
      const s = slot(name, labels)
      s.value += value
      s.count = (s.count ?? 0) + 1
    },
    watches: new WatchCount(),
    read(): Sample[] {
      return [...samples.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, s]) => ({ ...s }))
    },
  }
}
