import { describe, expect, it } from 'vitest'
import { budgetOfRateLimitHeaders, hasNextPage, isLimited, waitOf } from './ratelimitheaders.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const inSeconds = (s: number): string => String(NOW / 1000 + s)

describe('a limit', () => {
  it.each([
    [429, {}, '', true],
    [403, { 'retry-after': '90' }, 'Forbidden', true],
    [403, { 'x-ratelimit-remaining': '0' }, 'Forbidden', true],
    [
      403,
      {},
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      true,
    ],
    [403, { 'x-ratelimit-remaining': '4999' }, 'Resource not accessible by personal access token', false],
    [404, { 'retry-after': '90' }, '', false],
  ])('%i %o %s: %s', (status, headers, message, limited) => {
    expect(isLimited({ status, headers, message })).toBe(limited)
  })

  it.each([
    [{ 'retry-after': '90', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(5) }, 90_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30_000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(1800) }, 1_800_000],
    [{ 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': inSeconds(1800) }, undefined],
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': inSeconds(20) }, 20_000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(-5) }, 1000],
    // Our clock is wrong by an hour: the host's counts.
    [
      {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': inSeconds(3700),
        date: 'Sun, 01 Mar 2026 13:00:00 GMT',
      },
      100_000,
    ],
    [{}, undefined],
  ])('%o: %s ms', (headers, ms) => {
    expect(waitOf(headers, NOW)).toBe(ms)
  })

  it('how much is left is known from any answer', () => {
    const headers = {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '499',
      'x-ratelimit-reset': inSeconds(60),
    }
    expect(budgetOfRateLimitHeaders(headers, NOW)).toEqual({
      limit: 5000,
      remaining: 499,
      resetsInMs: 60_000,
      windowMs: 3_600_000,
    })
    const minute = {
      'ratelimit-limit': '2000',
      'ratelimit-remaining': '1999',
      'ratelimit-reset': inSeconds(5),
    }
    expect(budgetOfRateLimitHeaders(minute, NOW)).toMatchObject({ resetsInMs: 5000, windowMs: 60_000 })
    expect(budgetOfRateLimitHeaders({ 'ratelimit-limit': '2000' }, NOW)).toBeUndefined()
    expect(budgetOfRateLimitHeaders({}, NOW)).toBeUndefined()
  })
})

describe('another page', () => {
  it.each([
    [{ link: '<https://h/x?page=2>; rel="next", <https://h/x?page=9>; rel="last"' }, 3, true],
    [{ link: '<https://h/x?page=1>; rel="first", <https://h/x?page=1>; rel="prev"' }, 100, false],
    [{}, 100, true],
    [{}, 99, false],
  ])('%o with %i found: %s', (headers, found, next) => {
    expect(hasNextPage(headers, found, 100)).toBe(next)
  })
})
