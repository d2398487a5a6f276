import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../test/arbitrary/decision.ts'
import { unifiedDiff } from './index.ts'

const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '- x', '@@'), { maxLength: 30 })

/** What `patch` makes of a text. */
function patched(before: readonly string[], diff: readonly string[]): string[] {
  const out: string[] = []
  let at = 0
  for (const line of diff) {
    const place = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(line)
    if (place) {
      const start = Number(place[2]) === 0 ? Number(place[1]) : Number(place[1]) - 1
      while (at < start) out.push(before[at++]!)
      continue
    }
    if (line[0] !== '+') expect(before[at++]).toBe(line.slice(1))
    if (line[0] !== '-') out.push(line.slice(1))
  }
  return [...out, ...before.slice(at)]
}

it('a diff leads from one text to the other, whatever they are', () => {
  decidesAlike(fc.tuple(text, text, fc.nat(3)), ([a, b, n]) => unifiedDiff(a, b, n), {
    'patch takes it': ([a, b], diff) => expect(patched(a, diff)).toEqual(b),
    'it is empty only between equals': ([a, b], diff) =>
      expect(diff.length === 0).toBe(JSON.stringify(a) === JSON.stringify(b)),
  })
})

describe('hunks', () => {
  const lines = (n: number) => Array.from({ length: n }, (_, i) => `${i + 1}`)
  it('are as diff -u writes them', () => {
    const after = lines(20)
    after[1] = 'two'
    after.splice(17, 1)
    expect(unifiedDiff(lines(20), after)).toEqual([
      ...['@@ -1,5 +1,5 @@', ' 1', '-2', '+two', ' 3', ' 4', ' 5'],
      ...['@@ -15,6 +15,5 @@', ' 15', ' 16', ' 17', '-18', ' 19', ' 20'],
    ])
  })
  it('of a text that begins or ends', () => {
    expect(unifiedDiff([], ['a'])).toEqual(['@@ -0,0 +1,1 @@', '+a'])
    expect(unifiedDiff(['a'], [])).toEqual(['@@ -1,1 +0,0 @@', '-a'])
  })
  it('of texts that have nothing in common are one, however long', () => {
    const diff = unifiedDiff(
      lines(3000).map((x) => `a${x}`),
      lines(3000).map((x) => `b${x}`),
    )
    expect([diff.length, diff[0]]).toEqual([6001, '@@ -1,3000 +1,3000 @@'])
  })
})
