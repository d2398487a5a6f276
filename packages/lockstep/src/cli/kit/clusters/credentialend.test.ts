import { describe, expect, it } from 'vitest'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { credentialEnd, expiresText } from './credentialend.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: object): string => `Bearer ${part({ alg: 'ES256' })}.${part(claims)}.c2ln`
const view = (authorization: string | undefined, more: object = {}): ClusterView =>
  ({
    kind: 'Secret',
    annotations: {},
    access: {
      type: 'Source',
      version: '1',
      source: { type: 'Static', endpoint: { url: 'https://a', headers: { authorization } } },
    },
    ...more,
  }) as unknown as ClusterView
const RENEW = { annotations: { 'lockstep.dev/renew': '168h' } }
const ACCOUNT = { exp: 600, iat: 0, sub: 'system:serviceaccount:lockstep-system:a' }
const END = '1970-01-01T00:10:00Z'

describe('the end of a credential and its renewal', () => {
  it.each<[string, ClusterView, string, string]>([
    ['a renewed token', view(token(ACCOUNT), RENEW), END, 'automatic'],
    ['a token without the annotation', view(token(ACCOUNT)), END, 'none'],
    ['a token of a person', view(token({ exp: 600, sub: 'jane' }), RENEW), END, 'none'],
    ['a token without an end', view(token({ sub: ACCOUNT.sub }), RENEW), 'never', 'none'],
    ['an opaque token', view('Bearer abc'), 'unknown', 'none'],
    ['another inventory', view(token(ACCOUNT), { ...RENEW, kind: 'ArgoCD' }), END, 'none'],
    [
      'a program',
      view('', { access: { type: 'Source', version: '1', source: { type: 'Exec' } } }),
      'unknown',
      'provider',
    ],
    ['no credential', view('', { access: { type: 'Unread', message: '' } }), 'unknown', 'none'],
  ])('%s', (_, cluster, expires, renewal) => expect(credentialEnd(cluster)).toEqual({ expires, renewal }))

  it.each([
    [END, 0, 'in 10m'],
    [END, 7_800_000, 'expired 120m ago'],
    ['never', 0, 'never'],
  ])('%s at %d: %s', (expires, now, text) => expect(expiresText(expires, now)).toBe(text))
})
