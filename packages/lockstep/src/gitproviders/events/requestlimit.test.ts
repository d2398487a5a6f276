import { describe, expect, it } from 'vitest'
import { RequestLimit } from './requestlimit.ts'

describe('a limit of 2 in 30 s', () => {
  const limit = () => new RequestLimit({ most: 2, withinMs: 30_000 })

  it('lets two in, and says how long the third has to wait', () => {
    const l = limit()
    expect([l.take('a', 0), l.take('a', 10_000), l.take('a', 12_000)]).toEqual([0, 0, 18_000])
    expect([l.take('a', 29_999), l.take('a', 30_000), l.take('a', 30_001)]).toEqual([1, 0, 9_999])
  })

  it('is one for each', () => {
    const l = limit()
    for (const caller of ['a', 'a', 'b', 'b']) expect(l.take(caller, 0)).toBe(0)
    expect(l.take('b', 0)).toBe(30_000)
  })

  it('forgets who was quiet for longest, of very many', () => {
    const l = limit()
    for (let i = 0; i < 2; i++) expect(l.take('first', 0)).toBe(0)
    for (let i = 0; i < 10_000; i++) l.take(`other-${i}`, 0)
    expect(l.take('first', 0)).toBe(0)
    expect(l.take('other-9999', 0)).toBe(0)
    expect(l.take('other-9999', 0)).toBe(30_000)
  })
})
