import { describe, expect, it } from 'vitest'
import { humanDuration } from './render/age.ts'
import { formatTime, parseTime } from './time.ts'

describe('times of objects', () => {
  it('are RFC 3339 in UTC, whole seconds, and read back', () => {
    for (const text of [
      '1970-01-01T00:00:00Z',
      '2000-02-29T23:59:59Z',
      '2026-12-31T12:30:00Z',
      '2100-03-01T00:00:00Z',
    ]) {
      expect(formatTime(Date.parse(text) + 999)).toBe(text)
      expect(parseTime(text)).toBe(Date.parse(text))
    }
    expect(parseTime('2026-01-01T02:00:00.5+02:00')).toBe(Date.parse('2026-01-01T00:00:00.500Z'))
    expect(parseTime('yesterday')).toBeUndefined()
  })
})

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
