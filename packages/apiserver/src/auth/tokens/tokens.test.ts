import { describe, expect, it } from 'vitest'
import { testCluster } from '../../server/testcluster.cases.ts'
import { Issuer, isIssued } from './issuer.ts'

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const REVIEW = '/apis/authentication.k8s.io/v1/tokenreviews'

async function withAccount() {
  const c = testCluster()
  await c.call('POST', ACCOUNTS, { metadata: { name: 'bot' } })
  const token = async (spec: object = {}): Promise<string> => {
    const made = await c.call('POST', `${ACCOUNTS}/bot/token`, { spec })
    expect(made).toMatchObject({ status: 201, body: { metadata: { name: 'bot', namespace: 'default' } } })
    return made.body.status.token
  }
  const whoami = (t: string) => c.call('POST', WHOAMI, {}, undefined, { authorization: `Bearer ${t}` })
  return { ...c, token, whoami }
}

describe('a token of a ServiceAccount', () => {
  it('is for its account', async () => {
    const c = await withAccount()
    const { body } = await c.whoami(await c.token())
    expect(body.status.userInfo).toMatchObject({
      username: 'system:serviceaccount:default:bot',
      uid: expect.any(String),
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
    })
  })

  it('has no rights but those of its account', async () => {
    const c = await withAccount()
    const token = await c.token()
    expect(
      await c.call('GET', ACCOUNTS, undefined, undefined, { authorization: `Bearer ${token}` }),
    ).toMatchObject({
      status: 403,
      body: {
        message:
          'serviceaccounts is forbidden: User "system:serviceaccount:default:bot" cannot list resource "serviceaccounts" in API group "" in the namespace "default"',
      },
    })
  })

  it('ends with its time, its account, and what it is bound to', async () => {
    const c = await withAccount()
    const [short, long] = [await c.token({ expirationSeconds: 600 }), await c.token()]
    await c.later(600_000)
    expect((await c.whoami(short)).status).toBe(401)
    expect((await c.whoami(long)).status).toBe(201)
    await c.call('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } })
    const bound = await c.token({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } })
    expect((await c.whoami(bound)).status).toBe(201)
    await c.call('DELETE', '/api/v1/namespaces/default/secrets/s')
    expect((await c.whoami(bound)).status).toBe(401)
    await c.call('DELETE', `${ACCOUNTS}/bot`)
    expect((await c.whoami(long)).status).toBe(401)
    await c.call('POST', ACCOUNTS, { metadata: { name: 'bot' } })
    expect((await c.whoami(long)).status).toBe(401)
  })

  it('is nothing on another cluster, and nothing once it was changed', async () => {
    const [a, b] = [await withAccount(), testCluster('another')]
    const token = await a.token()
    const there = await b.call('POST', WHOAMI, {}, undefined, { authorization: `Bearer ${token}` })
    expect(there).toMatchObject({ status: 401, body: { message: 'Unauthorized' } })
    const [head, body, signature] = token.split('.') as [string, string, string]
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(
      JSON.stringify({ ...claims, sub: 'system:serviceaccount:kube-system:x' }),
    ).toString('base64url')
    expect((await a.whoami(`${head}.${forged}.${signature}`)).status).toBe(401)
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    expect((await a.whoami(`${unsigned}.${body}.`)).status).toBe(401)
  })

  it.each([
    [{ expirationSeconds: 10 }, 422, 'may not specify a duration less than 10 minutes'],
    [{ expirationSeconds: 2 ** 33 }, 422, 'may not specify a duration larger than 2^32 seconds'],
    [{ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } }, 404, 'pods "p" not found'],
    [
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'p' } },
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
  ] as const)('is refused: %j', async (spec, status, says) => {
    const c = await withAccount()
    expect(await c.call('POST', `${ACCOUNTS}/bot/token`, { spec })).toMatchObject({
      status,
      body: { message: expect.stringContaining(says) },
    })
  })

  it('is reviewed for those whom it is for', async () => {
    const c = await withAccount()
    const token = await c.token({ audiences: ['vault'] })
    const review = async (spec: object): Promise<unknown> =>
      (await c.call('POST', REVIEW, { spec })).body.status
    expect(await review({ token, audiences: ['vault', 'other'] })).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:bot' },
      audiences: ['vault'],
    })
    expect(await review({ token })).toEqual({
      user: {},
      error:
        '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
    })
    expect(await review({ token: 'x' })).toEqual({ user: {}, error: 'invalid bearer token' })
    expect((await c.whoami(token)).status).toBe(401)
    const { body } = await c.call('POST', REVIEW, { spec: {} })
    expect(body).toMatchObject({ code: 400, message: 'token is required for TokenReview in authentication' })
  })
})

describe('an issuer', () => {
  it('has the same key for the same seed, and tells it without the secret part', async () => {
    const key = async (seed: string) =>
      JSON.parse((await testCluster(seed).call('GET', '/openid/v1/jwks')).body).keys[0]
    const [one, same, other] = [await key('a'), await key('a'), await key('b')]
    expect(one).toEqual(same)
    expect(one).toMatchObject({ use: 'sig', alg: 'ES256', kty: 'EC', crv: 'P-256' })
    expect(one.kid).not.toBe(other.kid)
    expect(one.d).toBeUndefined()
  })

  it.each(['', 'x', 'a.b.c', 'eyJhbGciOiJFUzI1NiJ9.bnVsbA.x'])('knows no other text: %j', (text) => {
    const issuer = new Issuer(testCluster().env.random)
    expect(issuer.verified(text)).toBeUndefined()
    expect(isIssued(text)).toBe(false)
  })
})
