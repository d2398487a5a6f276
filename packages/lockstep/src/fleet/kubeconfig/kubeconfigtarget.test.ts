/** Fields of a kubeconfig by its owner: the rows of the table of docs/reference/kubeconfigs.md. */
import { describe, expect, it } from 'vitest'
import {
  base64,
  execConfig,
  fixed,
  impersonation,
  type KubeconfigParts,
  ofFiles,
  SERVER,
  sourceText,
  withToken,
} from './kubeconfigparts.cases.ts'
import type { KubeconfigTrust } from './kubeconfigselection.ts'

const program = (more: object = {}) => ({
  type: 'Exec',
  files: {},
  endpoint: { url: SERVER },
  program: {
    owner: 'context eu',
    apiVersion: execConfig.apiVersion,
    command: 'aws',
    args: ['eks'],
    env: { A: 'b' },
    provideClusterInfo: false,
    person: { interactiveMode: 'IfAvailable' },
    ...more,
  },
})
const notInSecret = (field: string, instead: string) =>
  `${field}: is not allowed in a cluster Secret; use ${instead}`
const TOKEN = 'token or a credential provider'
const ACCOUNT = 'spec.serviceAccountName of the Module'
const NO_AUTH_PROVIDER =
  'users[0].user.auth-provider: is not supported; use exec (for OIDC: kubectl oidc-login)'
const socks = 'clusters[0].cluster.proxy-url: socks5 is not supported; use http or https'
const plain = (rest: string) => `clusters[0].cluster.server: http://eu.test${rest}`
const impersonate = { user: 'jane', uid: '7', groups: ['dev'], extra: { team: ['a'] } }

type Row = readonly [
  name: string,
  given: KubeconfigParts,
  person: unknown,
  controller: unknown,
  secret: unknown,
]
const everybody = (name: string, given: KubeconfigParts, source: unknown): Row => [
  name,
  given,
  source,
  source,
  source,
]
const people = (name: string, given: KubeconfigParts, source: unknown, refusal: string): Row => [
  name,
  given,
  source,
  source,
  refusal,
]

const ROWS: readonly Row[] = [
  everybody('token', { user: { token: 't' } }, { type: 'Static', endpoint: withToken }),
  everybody(
    'username',
    { user: { username: 'a', password: 'b' } },
    fixed({ headers: { authorization: `Basic ${base64('a:b')}` } }),
  ),
  everybody(
    '*-data and tls-server-name',
    {
      user: { 'client-certificate-data': base64('C'), 'client-key-data': base64('K'), token: 't' },
      cluster: { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'inner' },
    },
    fixed({
      tls: { ca: 'CA', serverName: 'inner', cert: 'C', key: 'K' },
      headers: { authorization: 'Bearer t' },
    }),
  ),
  everybody('nothing', {}, fixed({})),
  everybody(
    'zero values',
    {
      user: { tokenFile: '', exec: null, as: '', 'as-groups': [] },
      cluster: { 'insecure-skip-tls-verify': false },
    },
    fixed({}),
  ),
  people(
    'tokenFile',
    { user: { tokenFile: 'token' } },
    ofFiles({ token: '/home/me/.kube/token' }),
    notInSecret('users[0].user.tokenFile', TOKEN),
  ),
  people(
    'token and tokenFile: the file counts once it is read',
    { user: { token: 't', tokenFile: '/t' } },
    ofFiles({ token: '/t' }, { headers: { authorization: 'Bearer t' } }),
    notInSecret('users[0].user.tokenFile', TOKEN),
  ),
  people(
    'client-certificate, client-key',
    { user: { 'client-certificate': '../c.crt', 'client-key': '/k.key' } },
    ofFiles({ cert: '/home/me/c.crt', key: '/k.key' }),
    notInSecret('users[0].user.client-certificate', 'client-certificate-data'),
  ),
  people(
    'data before paths',
    {
      user: {
        'client-certificate': 'c',
        'client-certificate-data': base64('C'),
        'client-key': 'k',
        'client-key-data': base64('K'),
      },
      cluster: { 'certificate-authority': 'ca', 'certificate-authority-data': base64('CA') },
    },
    fixed({ tls: { ca: 'CA', cert: 'C', key: 'K' } }),
    notInSecret('clusters[0].cluster.certificate-authority', 'certificate-authority-data'),
  ),
  people(
    'certificate-authority',
    { cluster: { 'certificate-authority': 'ca.crt' } },
    ofFiles({ ca: '/home/me/.kube/ca.crt' }),
    notInSecret('clusters[0].cluster.certificate-authority', 'certificate-authority-data'),
  ),
  people('exec v1', { user: { exec: execConfig } }, program(), notInSecret('users[0].user.exec', TOKEN)),
  people(
    'exec v1beta1, in a folder beside the file, with all it may say',
    {
      user: {
        exec: {
          ...execConfig,
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: './bin/aws',
          interactiveMode: 'Always',
          installHint: 'get it',
          provideClusterInfo: true,
        },
      },
      cluster: { extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { region: 'eu' } }] },
    },
    program({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: '/home/me/.kube/bin/aws',
      provideClusterInfo: true,
      config: { region: 'eu' },
      person: { interactiveMode: 'Always', installHint: 'get it' },
    }),
    notInSecret('users[0].user.exec', TOKEN),
  ),
  people(
    'exec beside a token: the token identifies the user',
    { user: { exec: execConfig, token: 't' } },
    { type: 'Static', endpoint: withToken },
    notInSecret('users[0].user.exec', TOKEN),
  ),
  people(
    'exec v1alpha1',
    { user: { exec: { ...execConfig, apiVersion: 'client.authentication.k8s.io/v1alpha1' } } },
    'users[0].user.exec.apiVersion: "client.authentication.k8s.io/v1alpha1" is not supported; use client.authentication.k8s.io/v1',
    notInSecret('users[0].user.exec', TOKEN),
  ),
  people(
    'exec without a command',
    { user: { exec: { ...execConfig, command: '' } } },
    'users[0].user.exec.command: is missing',
    notInSecret('users[0].user.exec', TOKEN),
  ),
  [
    'auth-provider',
    { user: { 'auth-provider': { name: 'gcp' } } },
    NO_AUTH_PROVIDER,
    NO_AUTH_PROVIDER,
    notInSecret('users[0].user.auth-provider', TOKEN),
  ],
  people(
    'proxy-url',
    { cluster: { 'proxy-url': 'http://p:3128' } },
    fixed({ proxy: 'http://p:3128' }),
    'clusters[0].cluster.proxy-url: p:3128 is not an allowed proxy; an administrator allows it with --allow-cluster-proxy p:3128 of the controller',
  ),
  everybody('proxy-url socks5', { cluster: { 'proxy-url': 'socks5://p' } }, socks),
  [
    'insecure-skip-tls-verify',
    { cluster: { 'insecure-skip-tls-verify': true } },
    fixed({ tls: { insecure: true } }),
    'clusters[0].cluster.insecure-skip-tls-verify: is not allowed for the controller; use certificate-authority-data',
    notInSecret('clusters[0].cluster.insecure-skip-tls-verify', 'certificate-authority-data'),
  ],
  people(
    'as, as-uid, as-groups, as-user-extra',
    { user: impersonation },
    fixed({ impersonate }),
    notInSecret('users[0].user.as', ACCOUNT),
  ),
  people(
    'as-groups without as',
    { user: { 'as-groups': ['dev'] } },
    'users[0].user: as-uid, as-groups and as-user-extra need as',
    notInSecret('users[0].user.as-groups', ACCOUNT),
  ),
  people(
    'a loopback server over http',
    { cluster: { server: 'http://127.0.0.1:8080' }, user: { token: 't' } },
    { type: 'Static', endpoint: { ...withToken, url: 'http://127.0.0.1:8080' } },
    'clusters[0].cluster.server: http://127.0.0.1:8080: only https is allowed',
  ),
  people(
    'another server over http, without a credential',
    { cluster: { server: 'http://eu.test' } },
    fixed({ url: 'http://eu.test' }),
    plain(': only https is allowed'),
  ),
  people(
    'another server over http, with one',
    { cluster: { server: 'http://eu.test' }, user: { tokenFile: '/t' } },
    plain(' is not encrypted, and the user has a credential; write https://'),
    notInSecret('users[0].user.tokenFile', TOKEN),
  ),
  everybody(
    'a server without a URL',
    { cluster: { server: 'eu.test' } },
    'clusters[0].cluster.server: is not a URL',
  ),
  people(
    'an unknown field of the user',
    { user: { token: 't', color: 1 } },
    { type: 'Static', endpoint: withToken },
    'users[0].user.color: unknown field',
  ),
  people(
    'an unknown field of the cluster',
    { cluster: { constructor: 1 } },
    fixed({}),
    'clusters[0].cluster.constructor: unknown field',
  ),
  people(
    'an unknown field of the context',
    { context: { color: 1 } },
    fixed({}),
    'contexts[0].context.color: unknown field',
  ),
  people('an unknown field of the whole', { more: { color: 1 } }, fixed({}), 'color: unknown field'),
  everybody(
    'token and username',
    { user: { token: 't', username: 'a' } },
    'users[0].user: token and username exclude each other',
  ),
  everybody(
    'half a certificate',
    { user: { 'client-key-data': base64('K') } },
    'users[0].user: client-certificate and client-key come together',
  ),
  everybody(
    'a user that is nowhere',
    { context: { user: 'x' } },
    'contexts[0].context.user: "x" is not among users',
  ),
]

const TRUSTS: readonly KubeconfigTrust[] = ['Person', 'Controller', 'Secret']

describe.each(TRUSTS.map((trust, i) => [trust, i + 2] as const))(
  'the kubeconfig of a %s',
  (trust, column) => {
    it.each(ROWS.map((row) => [row[0], row] as const))('%s', (_, row) => {
      expect(sourceText(row[1], { trust })).toEqual(row[column])
    })
  },
)
