import { describe, expect, it } from 'vitest'
import type { Secret } from '../../../../kube/src/kinds/types.ts'
import type { GitProviderKind } from './address.ts'
import { providerCredentials, secretsOfPush } from './credentials.ts'

const secretOf = (data: Readonly<Record<string, string>>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'ns', name: 'host' },
  data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, btoa(v)])),
})
const basic = (pair: string): string => `Basic ${btoa(pair)}`

describe('credentials of a Git host', () => {
  it.each<[GitProviderKind, Record<string, string>, string, string]>([
    ['github', { token: 't' }, 'Bearer t', basic('x-access-token:t')],
    ['gitlab', { token: 't\n' }, 'Bearer t', basic('oauth2:t')],
    ['gitea', { token: 't' }, 'token t', basic('oauth2:t')],
    ['github', { username: 'u', password: 'p' }, basic('u:p'), basic('u:p')],
    ['gitlab', { username: 'u', password: 'p' }, 'Bearer p', basic('u:p')],
    ['gitea', { username: 'u', password: 'p' }, basic('u:p'), basic('u:p')],
    ['github', { token: 't', username: 'u', password: 'p' }, 'Bearer t', basic('u:p')],
    ['gitea', { token: 't', username: 'u' }, 'token t', basic('u:t')],
  ])('%s %o: for its API, and for git', (provider, data, authorization, git) => {
    const found = providerCredentials(provider, secretOf({ ...data, 'ca.crt': 'PEM' }))
    expect(found).toMatchObject({
      ok: true,
      value: { authorization, ca: 'PEM', git: { type: 'header', value: git, tls: { ca: 'PEM' } } },
    })
  })

  it.each([
    [{}, 'Secret ns/host has no key token, nor password; put an access token of github there as token'],
    [{ username: 'u' }, 'Secret ns/host has no key token, nor password'],
    [{ password: 'hush' }, 'Secret ns/host has password and no username'],
    [{ token: 'hush\nx: y' }, 'holds a line break'],
  ])('%o is refused by its keys, not by its values', (data, message) => {
    const found = providerCredentials('github', secretOf(data))
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining(message) })
    expect(JSON.stringify(found)).not.toContain('hush')
  })

  it('of a push are hidden by themselves, too, and as they are sent', () => {
    expect(secretsOfPush(secretOf({ bearerToken: 'a b' }), 'Bearer a b')).toEqual(['a b', 'a%20b'])
    const header = basic('u:p')
    expect(secretsOfPush(secretOf({ username: 'u', password: 'p' }), header)).toEqual([
      ...['p', header.slice('Basic '.length)],
    ])
  })
})
