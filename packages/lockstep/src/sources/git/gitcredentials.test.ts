import { describe, expect, it } from 'vitest'
import { bytesToBase64 } from '../../../../kube/src/object/index.ts'
import { gitCredentials } from './gitcredentials.ts'
import { parseGitUrl } from './giturl.ts'

function read(url: string, data: Readonly<Record<string, string>>) {
  const parsed = parseGitUrl(url, false)
  if (!parsed.ok) throw new Error(parsed.error)
  return gitCredentials(parsed.value, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'auth', namespace: 'platform' },
    data: Object.fromEntries(
      Object.entries(data).map(([k, v]) => [k, bytesToBase64(new TextEncoder().encode(v))]),
    ),
  })
}

const HTTPS = 'https://example.com/a'
const SSH = 'ssh://git@example.com/a'

describe('credentials', () => {
  it('of every kind', () => {
    expect(read(HTTPS, { username: 'u', password: 'p' })).toMatchObject({
      value: { type: 'header', value: `Basic ${btoa('u:p')}` },
    })
    expect(read(HTTPS, { bearerToken: 't\n', 'ca.crt': 'CA' })).toMatchObject({
      value: { type: 'header', value: 'Bearer t', tls: { ca: 'CA' } },
    })
    expect(read(HTTPS, { 'tls.crt': 'C', 'tls.key': 'K' })).toMatchObject({
      value: { type: 'none', tls: { cert: 'C', key: 'K' } },
    })
    expect(read(SSH, { identity: 'KEY', known_hosts: 'H\n' })).toMatchObject({
      value: { type: 'ssh', identity: 'KEY\n', knownHosts: 'H\n' },
    })
  })

  it.each<[string, Record<string, string>, string]>([
    [SSH, { known_hosts: 'h' }, 'has no key identity'],
    [SSH, { identity: 'k' }, 'has no key known_hosts'],
    [SSH, { identity: 'k', known_hosts: 'h', password: 'secret' }, 'passphrase is not supported'],
    [HTTPS, { bearerToken: 'secret', username: 'u' }, 'leave one'],
    [HTTPS, { username: 'u' }, 'username and no password'],
    [HTTPS, { other: 'secret' }, 'has none of'],
    [HTTPS, { bearerToken: 'a\r\nX-Secret: secret' }, 'holds a line break'],
  ])('%s with %j is refused, without a value in the message', (url, data, message) => {
    const found = read(url, data)
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining(message) })
    expect(JSON.stringify(found)).toContain('Secret platform/auth')
    expect(JSON.stringify(found)).not.toContain(': secret')
  })
})
