/** Changes of a kubeconfig by flags of a command line. */
import { describe, expect, it } from 'vitest'
import {
  base64,
  execConfig,
  fixed,
  impersonation,
  type KubeconfigParts,
  ofFiles,
  readParts,
  sourceText,
  withToken,
} from './kubeconfigparts.cases.ts'
import type { KubeconfigSelection } from './kubeconfigselection.ts'
import { kubeconfigTarget } from './kubeconfigtarget.ts'
import { mergeKubeconfigs } from './mergekubeconfigs.ts'

describe('a command line', () => {
  const person = (more: Partial<KubeconfigSelection>): KubeconfigSelection => ({ trust: 'Person', ...more })

  it.each<[string, KubeconfigParts, Partial<KubeconfigSelection>, unknown]>([
    ['another context', {}, { context: 'us' }, { type: 'Static', endpoint: { url: 'https://us.test' } }],
    ['a context that is nowhere', {}, { context: 'x' }, 'contexts: has no context "x"; there are: eu, us'],
    [
      'another cluster',
      { user: { token: 't' } },
      { cluster: 'd' },
      { type: 'Static', endpoint: { ...withToken, url: 'https://us.test' } },
    ],
    ['a cluster that is nowhere', {}, { cluster: 'x' }, 'clusters: has no cluster "x" (--cluster)'],
    ['another user', {}, { user: 'v' }, fixed({ headers: { authorization: 'Bearer v' } })],
    ['a user that is nowhere', {}, { user: 'x' }, 'users: has no user "x" (--user)'],
    [
      'another server, whose name is its own',
      { cluster: { 'tls-server-name': 'inner' } },
      { server: 'https://x' },
      fixed({ url: 'https://x' }),
    ],
    [
      'a server and its name',
      {},
      { server: 'https://x', tlsServerName: 'y' },
      fixed({ url: 'https://x', tls: { serverName: 'y' } }),
    ],
    [
      'a token, in place of a program',
      { user: { exec: execConfig } },
      { token: 't' },
      { type: 'Static', endpoint: withToken },
    ],
    [
      'a token, in place of a file',
      { user: { tokenFile: '/t' } },
      { token: 't' },
      { type: 'Static', endpoint: withToken },
    ],
    [
      'a CA, in place of data',
      { cluster: { 'certificate-authority-data': base64('CA') } },
      { certificateAuthority: '/ca' },
      ofFiles({ ca: '/ca' }),
    ],
    [
      'a certificate, in place of data',
      { user: { 'client-certificate-data': base64('C'), 'client-key-data': base64('K') } },
      { clientCertificate: '/c', clientKey: '/k' },
      ofFiles({ cert: '/c', key: '/k' }),
    ],
    [
      'no verification, in place of a CA',
      { cluster: { 'certificate-authority-data': base64('CA') } },
      { insecureSkipTlsVerify: true },
      fixed({ tls: { insecure: true } }),
    ],
    [
      'a user to act as, without the groups of the kubeconfig',
      { user: impersonation },
      { as: 'joe' },
      fixed({ impersonate: { user: 'joe' } }),
    ],
    [
      'a user to act as, with groups',
      {},
      { as: 'joe', asGroups: ['a', 'b'], asUid: '1' },
      fixed({ impersonate: { user: 'joe', uid: '1', groups: ['a', 'b'] } }),
    ],
    [
      'groups without a user',
      {},
      { asGroups: ['a'] },
      'users[0].user: as-uid, as-groups and as-user-extra need as',
    ],
  ])('%s', (_, given, selection, expected) => {
    expect(sourceText(given, person(selection))).toEqual(expected)
  })

  it('names a server without any kubeconfig', () => {
    const none = mergeKubeconfigs([])
    expect(none.ok && kubeconfigTarget(none.value, person({ server: 'https://x', token: 't' }))).toEqual({
      ok: true,
      value: { context: '', namespace: undefined, source: fixed({ ...withToken, url: 'https://x' }) },
    })
    expect(none.ok && kubeconfigTarget(none.value, person({}))).toMatchObject({
      ok: false,
      error: { field: 'current-context', message: 'is missing' },
    })
  })

  it('gets context and namespace', () => {
    expect(readParts({ context: { namespace: 'shop' } }, person({}))).toMatchObject({
      ok: true,
      value: { context: 'eu', namespace: 'shop' },
    })
  })
})
