import { describe, expect, it } from 'vitest'
import { type ExecProviders, noProviders, parseProviders } from '../credentials/provider.ts'
import { clusterOfArgo } from './argocd.ts'

const secret = (data: Record<string, string>, annotations: Record<string, string> = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'eu-1', namespace: 'argocd', uid: 'u', resourceVersion: '1', annotations },
    data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, btoa(v)])),
  }) as never

const server = 'https://eu-1.test'
const view = (config: object | string, more: Record<string, string> = {}, providers = noProviders) =>
  clusterOfArgo(
    secret({ server, config: typeof config === 'string' ? config : JSON.stringify(config), ...more }),
    { providers, namespaces: ['argocd'] },
  )!

const NOBODY = { providers: noProviders, namespaces: ['argocd'] }

describe('credentials', () => {
  it.each([
    ['a token', { bearerToken: 't' }, { url: server, headers: { authorization: 'Bearer t' } }],
    [
      'user and password',
      { username: 'u', password: 'p' },
      { url: server, headers: { authorization: `Basic ${btoa('u:p')}` } },
    ],
    [
      'a token counts before a user',
      { bearerToken: 't', username: 'u' },
      { url: server, headers: { authorization: 'Bearer t' } },
    ],
    [
      'a certificate',
      {
        tlsClientConfig: {
          caData: btoa('CA'),
          certData: btoa('CERT'),
          keyData: btoa('KEY'),
          serverName: 'inner',
          insecure: false,
        },
      },
      { url: server, tls: { ca: 'CA', cert: 'CERT', key: 'KEY', serverName: 'inner' } },
    ],
    ['none', {}, { url: server }],
  ])('%s', (_, config, endpoint) => {
    expect(view(config).access).toMatchObject({ type: 'Source', source: { type: 'Static', endpoint } })
  })
})

describe('what is not allowed names the field, and quotes no value', () => {
  it.each([
    [
      'awsAuthConfig',
      { awsAuthConfig: { clusterName: 'c' } },
      'config.awsAuthConfig: is not allowed without a provider aws, and there is none in no --credential-provider file',
    ],
    [
      'execProviderConfig',
      { execProviderConfig: { command: '/bin/argocd-k8s-auth', args: ['gcp'] } },
      'config.execProviderConfig: is not allowed without a provider argocd-k8s-auth, and there is none in no --credential-provider file',
    ],
    [
      'insecure',
      { bearerToken: 'SECRET', tlsClientConfig: { insecure: true } },
      'config.tlsClientConfig.insecure: is not allowed; give caData',
    ],
    ['a proxy', { proxyUrl: 'http://p.test' }, 'config.proxyUrl: is not allowed'],
    [
      'half a certificate',
      { tlsClientConfig: { certData: 'QQ==' } },
      'config.tlsClientConfig: certData and keyData come together',
    ],
    ['bad JSON', '{"bearerToken": "SECRET"', 'config: is not a JSON object'],
    ['no object', '[]', 'config: is not a JSON object'],
  ])('%s', (_, config, problem) => {
    expect(view(config).access).toEqual({ type: 'Refused', message: `Secret argocd/eu-1: ${problem}` })
  })

  it('an address without TLS', () => {
    expect(clusterOfArgo(secret({ server: 'http://eu-1.test', config: '{}' }), NOBODY)?.access).toEqual({
      type: 'Refused',
      message: 'Secret argocd/eu-1: server: http://eu-1.test: only https is allowed',
    })
  })

  it.each([
    ['server', { config: '{}' }],
    ['config', { server }],
  ])('a missing key %s', (key, data) => {
    expect(clusterOfArgo(secret(data), NOBODY)?.access).toEqual({
      type: 'Missing',
      message: `Secret argocd/eu-1 has no key ${key}`,
    })
  })
})

describe('programs of --credential-provider', () => {
  const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'ours' }
  const trusted = { servers: ['eu-1.test'], namespaces: ['argocd'] }
  const names = ['aws', 'argocd-k8s-auth'].map((name) => ({ name, execConfig, ...trusted }))
  const providers = (parseProviders('p', JSON.stringify({ providers: names })) as { value: ExecProviders })
    .value

  it.each([
    ['by the name aws', { awsAuthConfig: { clusterName: 'c' } }, 'aws', { clusterName: 'c' }],
    [
      "by the command's name",
      { execProviderConfig: { command: 'argocd-k8s-auth', args: ['gcp'] } },
      'argocd-k8s-auth',
      { command: 'argocd-k8s-auth', args: ['gcp'] },
    ],
  ])('%s: ours is run, and told what the Secret says', (_, config, name, told) => {
    expect(view(config, {}, providers).access).toMatchObject({
      source: {
        type: 'Exec',
        program: { owner: `credential provider ${name}`, command: 'ours', args: [], config: told },
      },
    })
  })
})

describe('who gets a credential', () => {
  const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'gke-gcloud-auth-plugin' }
  const gke = { name: 'gke-gcloud-auth-plugin', execConfig, servers: ['*.gke.goog'], namespaces: ['argocd'] }
  const providers = (parseProviders('p', JSON.stringify({ providers: [gke] })) as { value: ExecProviders })
    .value
  const config = JSON.stringify({ execProviderConfig: { command: 'gke-gcloud-auth-plugin' } })
  const access = (of: { namespace: string; server: string; config?: string }, namespaces = ['argocd']) => {
    const made = secret({ config, ...of }) as { metadata: { namespace: string } }
    made.metadata.namespace = of.namespace
    return clusterOfArgo(made as never, { providers, namespaces })!.access
  }

  it('A14: not a server that the provider is not for', () => {
    expect(access({ namespace: 'argocd', server: 'https://localhost:7475' })).toEqual({
      type: 'Refused',
      message: 'Secret argocd/eu-1: provider gke-gcloud-auth-plugin is not for server localhost:7475',
    })
  })

  it.each([config, JSON.stringify({ bearerToken: 't' })])(
    'A14: not a Secret of a namespace where Argo CD is not: %s',
    (text) => {
      expect(access({ namespace: 'team-a', server: 'https://eu.gke.goog', config: text })).toEqual({
        type: 'Refused',
        message: "Secret team-a/eu-1: Argo CD's clusters are read in namespaces argocd only",
      })
    },
  )

  it('A14: not a namespace of Argo CD that the provider is not for', () => {
    expect(access({ namespace: 'team-a', server: 'https://eu.gke.goog' }, ['argocd', 'team-a'])).toEqual({
      type: 'Refused',
      message: 'Secret team-a/eu-1: provider gke-gcloud-auth-plugin is not for namespace team-a',
    })
  })

  it('a server of the provider, in its namespace', () => {
    expect(access({ namespace: 'argocd', server: 'https://eu.gke.goog' })).toMatchObject({
      source: { type: 'Exec' },
    })
  })
})

it('the cluster of Argo CD itself is the hub, and no cluster of this inventory', () => {
  expect(
    clusterOfArgo(secret({ server: 'https://kubernetes.default.svc', config: '{}' }), NOBODY),
  ).toBeUndefined()
})

it.each([
  ['none', {}, undefined, undefined],
  ['empty', { namespaces: '' }, undefined, undefined],
  ['some', { namespaces: 'a, b' }, ['a', 'b'], false],
  ['some, and what has none', { namespaces: 'a', clusterResources: 'true' }, ['a'], true],
])('namespaces: %s', (_, more, namespaces, clusterResources) => {
  const found = view({}, more)
  expect(found.namespaces).toEqual(namespaces)
  expect(found.clusterResources).toBe(clusterResources)
})

it.each([
  ['true', 'annotation argocd.argoproj.io/skip-reconcile'],
  ['false', undefined],
])('skip-reconcile: %s', (value, paused) => {
  const annotations = { 'argocd.argoproj.io/skip-reconcile': value }
  expect(clusterOfArgo(secret({ server, config: '{}' }, annotations), NOBODY)?.paused).toBe(paused)
})
