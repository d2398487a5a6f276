import { describe, expect, it } from 'vitest'
import {
  httpDate,
  microTimestamp,
  parseCertificateTimeMs,
  parseDuration,
  parseHttpDateMs,
  parseTimestampMs,
  preciseTimestamp,
  timestamp,
} from './time.ts'

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

  it('have milliseconds where two within a second must differ', () => {
    expect(preciseTimestamp(Date.parse('2026-01-01T00:00:00.007Z'))).toBe('2026-01-01T00:00:00.007Z')
    expect(parseTimestampMs(preciseTimestamp(1234))).toBe(1234)
  })
})

describe('times as HTTP servers say them', () => {
  it.each([
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00Z',
    '1994-11-06T08:49:37Z',
    '2000-02-29T00:00:00Z',
    '2026-11-22T15:14:36Z',
  ])('%s is said as JavaScript says it, and read back', (text) => {
    const ms = Date.parse(text)
    expect(httpDate(ms + 999)).toBe(new Date(ms).toUTCString())
    expect(parseHttpDateMs(httpDate(ms))).toBe(ms)
  })

  it.each(['', 'yesterday', 'Sun, 06 Foo 1994 08:49:37 GMT', '2026-11-22T15:14:36Z'])(
    '"%s" is none',
    (text) => {
      expect(parseHttpDateMs(text)).toBeUndefined()
    },
  )
})

describe('times of certificates', () => {
  it.each([
    ['Sep  3 21:40:37 2026 GMT', '2026-09-03T21:40:37Z'],
    ['Feb 29 00:00:00 2048 GMT', '2048-02-29T00:00:00Z'],
    ['Dec 31 23:59:59 9999 GMT', '9999-12-31T23:59:59Z'],
  ])('%s', (text, same) => expect(parseCertificateTimeMs(text)).toBe(parseTimestampMs(same)))

  it.each(['', 'Foo  3 21:40:37 2026 GMT', 'Sep  3 21:40:37 2026', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
    '"%s" is none',
    (text) => expect(parseCertificateTimeMs(text)).toBeUndefined(),
  )
})

describe('durations as Go writes them', () => {
  it.each([
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['0.5s', 500],
    ['100ms', 100],
  ])('%s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })
  it.each(['', '5', 'm5', '1d', '1 h', '-1s'])('"%s" is none', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

it('a MicroTime has six digits', () => {
  expect(microTimestamp(Date.UTC(2026, 0, 31, 12, 0, 0, 250))).toBe('2026-01-31T12:00:00.250000Z')
})
