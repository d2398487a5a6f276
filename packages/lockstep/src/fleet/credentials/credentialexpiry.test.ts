import { expect, it } from 'vitest'
import { createNodeEnv } from '../../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../../kube/src/env/node/nodelog.ts'
import { createLocalCertificate } from '../../cli/kit/localfleet/localcertificate.ts'
import { credentialExpiry, credentialLife, isEndless } from './credentialexpiry.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = (claims: object) => ({ authorization: `Bearer ${part({ alg: 'ES256' })}.${part(claims)}.c2ln` })

it.each([
  ['a JWT', { headers: jwt({ exp: 1_800_000_000, sub: 'é'.repeat(9) }) }, 1_800_000_000_000],
  ['a JWT without an end', { headers: jwt({ sub: 'a' }) }, undefined],
  ['a JWT with an end after all times', { headers: jwt({ exp: 1e300 }) }, undefined],
  ['a JWT that ended before all time', { headers: jwt({ exp: -1 }) }, undefined],
  ['a token that is none', { headers: { authorization: 'Bearer abc' } }, undefined],
  ['a token with dots', { headers: { authorization: 'Bearer a.b.c' } }, undefined],
  ['a password', { headers: { authorization: 'Basic YTpi' } }, undefined],
  ['a certificate that is none', { tls: { cert: 'x' } }, undefined],
  ['nothing', {}, undefined],
])('%s', (_, endpoint, expected) => {
  expect(credentialExpiry(endpoint)).toBe(expected)
})

it('of token and certificate, the first end counts', async () => {
  const env = createNodeEnv(nodeLog('silent'))
  const { cert } = await createLocalCertificate(env)
  const end = credentialExpiry({ tls: { cert } })!
  // Certificates of this machine are valid for a year.
  expect(Math.abs(end - env.clock.now() - 365 * 86_400_000)).toBeLessThan(60_000)
  const before = end / 1000 - 60
  expect(credentialExpiry({ tls: { cert }, headers: jwt({ exp: before }) })).toBe(before * 1000)
  expect(credentialExpiry({ tls: { cert }, headers: jwt({ exp: before + 120 }) })).toBe(end)
})

it('a life has its begin, where the credential says it', async () => {
  const { cert } = await createLocalCertificate(createNodeEnv(nodeLog('silent')))
  const whole = credentialLife({ tls: { cert } })!
  expect(whole.of).toBe('Certificate')
  expect(whole.endsAt - whole.beganAt!).toBeGreaterThan(364 * 86_400_000)
  expect(credentialLife({ headers: jwt({ iat: 100, exp: 700 }) })).toEqual({
    of: 'Token',
    beganAt: 100_000,
    endsAt: 700_000,
  })
  expect(credentialLife({ headers: jwt({ exp: 700 }) })?.beganAt).toBeUndefined()
})

it.each([
  ['a JWT without an end', { headers: jwt({ sub: 'a' }) }, true],
  ['a JWT with an end', { headers: jwt({ exp: 1 }) }, false],
  ['a JWT without an end and a certificate', { headers: jwt({ sub: 'a' }), tls: { cert: 'x' } }, false],
  ['an opaque token', { headers: { authorization: 'Bearer abc' } }, false],
])('%s is endless: %#', (_, credential, expected) => expect(isEndless(credential)).toBe(expected))
