import { describe, expect, it } from 'vitest'
import { RetryAfter } from './retryafter.ts'

function silence() {
  let now = 5000
  const s = new RetryAfter({ steady: () => now } as never)
  const pass = (seconds: number) => {
    now += seconds * 1000
  }
  return { s, pass }
}

describe('a credential that was told to wait', () => {
  it('waits as long as it was told', () => {
    const { s, pass } = silence()
    expect(s.leftMs).toBe(0)
    expect(s.begins(90_000)).toBe(90_000)
    pass(89)
    expect(s.leftMs).toBe(1000)
    pass(1)
    expect(s.leftMs).toBe(0)
  })

  it('else a minute, and longer each time, until it is answered', () => {
    const { s, pass } = silence()
    const waits = Array.from({ length: 8 }, () => {
      const ms = s.begins(undefined)
      pass(ms / 1000)
      return ms / 1000
    })
    expect(waits).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600])
    s.ends()
    expect(s.begins(undefined)).toBe(60_000)
  })

  it('what was on its way makes it neither longer nor shorter', () => {
    const { s, pass } = silence()
    s.begins(undefined)
    pass(10)
    expect([s.begins(undefined), s.begins(30_000), s.begins(70_000)]).toEqual([50_000, 50_000, 70_000])
    s.ends()
    pass(70)
    expect(s.begins(undefined)).toBe(120_000)
  })
})
