import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { type ExecProviders, noProviders, parseProviders } from '../credentials/provider.ts'
import { clusterOfClusterProfile } from './clusterprofile.ts'

const execConfig = { apiVersion: 'client.authentication.k8s.io/v1', command: 'get-token' }
const trusted = { servers: ['eu-1.test', 'a.test', 'b.test'], namespaces: ['prod'] }
const parsed = parseProviders(
  'providers.json',
  JSON.stringify({
    providers: [
      { name: 'gke', execConfig, ...trusted },
      { name: 'azure', execConfig, ...trusted },
    ],
  }),
)
const providers = (parsed as { value: ExecProviders }).value

const profile = (status: object, spec: object = {}): Stored =>
  ({
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ClusterProfile',
    metadata: { name: 'eu-1', namespace: 'prod', uid: 'u', resourceVersion: '1' },
    spec,
    status,
  }) as unknown as Stored

const offer = (name: string, cluster: object = { server: 'https://eu-1.test' }) => ({ name, cluster })
const access = (status: object, p: ExecProviders | undefined = providers) =>
  clusterOfClusterProfile(profile(status), p).access

describe('who gives the credential', () => {
  it.each([
    ['the one that both name', { accessProviders: [offer('aws'), offer('azure')] }, 'azure'],
    ['of several, the first of our file', { accessProviders: [offer('azure'), offer('gke')] }, 'gke'],
    ['the deprecated list alone', { credentialProviders: [offer('gke')] }, 'gke'],
  ])('%s', (_, status, name) => {
    expect(access(status)).toMatchObject({
      source: {
        type: 'Exec',
        endpoint: { url: 'https://eu-1.test' },
        program: { owner: `credential provider ${name}`, command: 'get-token' },
      },
    })
  })

  it('where both lists name it, accessProviders counts', () => {
    const status = {
      credentialProviders: [offer('gke', { server: 'https://old.test' })],
      accessProviders: [offer('gke')],
    }
    expect(access(status)).toMatchObject({ source: { endpoint: { url: 'https://eu-1.test' } } })
  })

  it('another address or extension is another credential', () => {
    const version = (cluster: object) =>
      (access({ accessProviders: [offer('gke', cluster)] }) as { version: string }).version
    const [a, b] = [version({ server: 'https://a.test' }), version({ server: 'https://b.test' })]
    expect(a).not.toBe(b)
    expect(version({ server: 'https://a.test' })).toBe(a)
  })

  it('what the program is to be told, and how the server is known', () => {
    const cluster = {
      server: 'https://eu-1.test',
      'certificate-authority-data': btoa('CA'),
      'tls-server-name': 'inner',
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { clusterName: 'eu-1' } }],
    }
    expect(access({ accessProviders: [offer('gke', cluster)] })).toMatchObject({
      source: {
        endpoint: { url: 'https://eu-1.test', tls: { ca: 'CA', serverName: 'inner' } },
        program: { config: { clusterName: 'eu-1' } },
      },
    })
  })
})

describe('what cannot be used says why', () => {
  const of = (cluster: object) => ({ accessProviders: [offer('gke', cluster)] })
  it.each([
    [
      'nobody offers access',
      {},
      providers,
      'Missing',
      'ClusterProfile prod/eu-1 has no status.accessProviders; its cluster manager writes them',
    ],
    [
      'a provider that our file does not have',
      { accessProviders: [offer('aws')] },
      providers,
      'Refused',
      'ClusterProfile prod/eu-1: no provider aws in providers.json',
    ],
    [
      'no file at all',
      { accessProviders: [offer('gke')] },
      noProviders,
      'Refused',
      'ClusterProfile prod/eu-1: no provider gke in no --credential-provider file',
    ],
    [
      'no address',
      of({}),
      providers,
      'Refused',
      'ClusterProfile prod/eu-1: status.accessProviders[0].cluster.server: is not a URL',
    ],
    [
      'TLS that nobody checks',
      of({ server: 'https://eu-1.test', 'insecure-skip-tls-verify': true }),
      providers,
      'Refused',
      'ClusterProfile prod/eu-1: status.accessProviders[0].cluster.insecure-skip-tls-verify: is not allowed',
    ],
    [
      'a proxy',
      of({ server: 'https://eu-1.test', 'proxy-url': 'http://p.test' }),
      providers,
      'Refused',
      'ClusterProfile prod/eu-1: status.accessProviders[0].cluster.proxy-url: is not allowed',
    ],
  ])('%s', (_, status, p, type, message) => {
    expect(access(status, p)).toEqual({ type, message })
  })

  it('where the file is not known, that is said, and nothing is refused', () => {
    expect(clusterOfClusterProfile(profile({ accessProviders: [offer('gke')] }), undefined).access).toEqual({
      type: 'Unread',
      message: 'ClusterProfile prod/eu-1, by a program beside the controller',
    })
  })
})

it.each([
  ['nothing is said', {}, true],
  ['healthy', { conditions: [{ type: 'ControlPlaneHealthy', status: 'True' }] }, true],
  ['unhealthy', { conditions: [{ type: 'ControlPlaneHealthy', status: 'False' }] }, false],
])('whether its control plane is up: %s', (_, status, expected) => {
  expect(clusterOfClusterProfile(profile(status), providers).initialized).toBe(expected)
})

it('properties by name; what is not a text is left out', () => {
  const properties = [{ name: 'region', value: 'eu' }, { name: 'nodes', value: 3 }, 'x']
  expect(clusterOfClusterProfile(profile({ properties }), providers).properties).toEqual({ region: 'eu' })
})
