import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../kube/src/env/sim/seededrandom.ts'
import { SortedMap } from './sortedmap.ts'

describe('a sorted map', () => {
  it('walks and counts its keys in order, whatever came and went', () => {
    const random = seededRandom('sorted')
    const map = new SortedMap<number>()
    const model = new Map<string, number>()
    for (let i = 0; i < 20_000; i++) {
      const key = `${'ab'[Math.floor(random.next() * 2)]}/${Math.floor(random.next() * 3_000)}`
      if (random.next() < 0.4) {
        map.delete(key)
        model.delete(key)
      } else {
        map.set(key, i)
        model.set(key, i)
      }
    }
    const sorted = [...model.keys()].sort()
    expect([...map.keys('', '')]).toEqual(sorted)
    for (const [start, prefix] of [
      ['b/', 'b/'],
      ['a/15', 'a/'],
      ['a/2999x', 'a/'],
      ['z', 'z'],
    ] as const) {
      const want = sorted.filter((k) => k >= start && k.startsWith(prefix))
      expect([...map.keys(start, prefix)]).toEqual(want)
      expect(map.count(start, prefix)).toBe(want.length)
    }
    expect(map.size).toBe(model.size)
  })
})
