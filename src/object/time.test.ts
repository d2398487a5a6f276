import { describe, expect, it } from 'vitest'
import { parseTimestampMs, timestamp } from './time.ts'

describe('times of objects', () => {
  it('are RFC 3339 in UTC, whole seconds, and read back', () => {
    for (const text of [
      '1970-01-01T00:00:00Z',
      '2000-02-29T23:59:59Z',
      '2026-12-31T12:30:00Z',
      '2100-03-01T00:00:00Z',
    ]) {
      expect(timestamp(Date.parse(text) + 999)).toBe(text)
      expect(parseTimestampMs(text)).toBe(Date.parse(text))
    }
    expect(parseTimestampMs('2026-01-01T02:00:00.5+02:00')).toBe(Date.parse('2026-01-01T00:00:00.500Z'))
    expect(parseTimestampMs('yesterday')).toBeUndefined()
  })
})
