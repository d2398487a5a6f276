import { describe, expect, it } from 'vitest'
import { humanDuration } from './humanduration.ts'

describe('ages', () => {
  it.each([
    [0, '0s'],
    [119, '119s'],
    [125, '2m5s'],
    [3_599, '59m'],
    [4 * 3600, '4h'],
    [5 * 3600 + 60, '5h1m'],
    [30 * 3600, '30h'],
    [3 * 86_400 + 3600, '3d1h'],
    [400 * 86_400, '400d'],
    [900 * 86_400, '2y170d'],
  ])('%i seconds are %s', (seconds, text) => {
    expect(humanDuration(seconds * 1000)).toBe(text)
  })
})
