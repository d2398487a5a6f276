import { describe, expect, it } from 'vitest'
import {
  accountSubject,
  expiringTimeMs,
  isRenewalOf,
  renewalRetryMs,
  renewalTime,
  tokenAccount,
} from './renewaltime.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const life = (ms: number, beganAt: number | undefined = 0) => ({
  of: 'Token' as const,
  beganAt,
  endsAt: ms,
})
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const bearer = (claims: object) => ({
  authorization: `Bearer ${part({ alg: 'ES256' })}.${part(claims)}.c2ln`,
})

describe('a token is renewed', () => {
  const times = Array.from({ length: 200 }, (_, i) => renewalTime(life(600_000), `cluster-${i}`))
  it('at two thirds of its life, 10 % more or less', () => {
    expect(Math.min(...times)).toBeGreaterThanOrEqual(360_000)
    expect(Math.max(...times)).toBeLessThanOrEqual(440_000)
  })
  it('at times that differ between clusters, and not between leaders', () => {
    expect(new Set(times.map(Math.round)).size).toBeGreaterThan(150)
    expect(renewalTime(life(600_000), 'cluster-7')).toBe(times[7])
  })
  it('a week before its end if it does not say when it began', () =>
    expect(renewalTime({ ...life(30 * DAY), beganAt: undefined }, 'c')).toBe(23 * DAY))
})

it.each([
  [7 * DAY, 5 * MINUTE],
  [60 * MINUTE, 3 * MINUTE],
  [10 * MINUTE, 30_000],
  [MINUTE, 10_000],
])('a failed renewal of a token that lives %d ms is tried again after %d ms', (ms, after) =>
  expect(renewalRetryMs(life(ms))).toBe(after),
)

it.each<[string, number, number]>([
  ['a year', 365 * DAY, 7 * DAY],
  ['a week', 7 * DAY, 1.75 * DAY],
  ['ten minutes', 10 * MINUTE, 2.5 * MINUTE],
])('a credential that lives %s is expiring at the end', (_, ms, before) =>
  expect(expiringTimeMs(life(ms))).toBe(ms - before),
)

describe('the account of a token', () => {
  it.each<[string, object | undefined]>([
    [
      'system:serviceaccount:lockstep-system:lockstep-1',
      { namespace: 'lockstep-system', name: 'lockstep-1' },
    ],
    ['system:serviceaccount:a:b/../../secrets', undefined],
    ['system:serviceaccount:a:B', undefined],
    ['system:serviceaccount:a', undefined],
    ['jane', undefined],
  ])('%s', (sub, account) => {
    expect(tokenAccount({ headers: bearer({ sub }) })).toEqual(account)
    if (account) expect(accountSubject(account as never)).toBe(sub)
  })
  it('an opaque token has none', () =>
    expect(tokenAccount({ headers: { authorization: 'Bearer abc' } })).toBeUndefined())
})

describe('an open connection continues with', () => {
  let tokens = 0
  const of = (sub: string, more: object = {}) => ({
    url: 'https://a',
    tls: { ca: 'ca' },
    headers: bearer({ sub, jti: `${++tokens}` }),
    ...more,
  })
  it('another token of its account', () => expect(isRenewalOf(of('a'), of('a'))).toBe(true))
  it.each<[string, object]>([
    ['of another account', of('b')],
    ['for another server', of('a', { url: 'https://b' })],
    ['under another CA', of('a', { tls: { ca: 'other' } })],
    ['by another proxy', of('a', { proxy: 'http://p' })],
    ['that is opaque', of('a', { headers: { authorization: 'Bearer abc' } })],
  ])('no token %s', (_, after) => expect(isRenewalOf(of('a'), after as never)).toBe(false))
})
