import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import { clusterApiAccess, clusterOfClusterApi } from './clusterapi.ts'

const cluster = (o: { spec?: object; status?: object; annotations?: Record<string, string> } = {}): Stored =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: {
      name: 'eu-1',
      namespace: 'prod',
      uid: 'u',
      resourceVersion: '1',
      labels: { env: 'prod' },
      annotations: o.annotations ?? {},
    },
    spec: o.spec ?? {},
    status: o.status ?? {},
  }) as unknown as Stored

const when = (type: string, status: string) => ({ conditions: [{ type, status, reason: 'r', message: '' }] })

describe('a control plane was up once', () => {
  it.each([
    ['nothing is said', {}, false],
    ['v1beta2, set', { initialization: { controlPlaneInitialized: true } }, true],
    ['v1beta2, not set', { initialization: { controlPlaneInitialized: false } }, false],
    ['v1beta1, by its condition', when('ControlPlaneInitialized', 'True'), true],
    ['v1beta1, its condition is false', when('ControlPlaneInitialized', 'False'), false],
    ['v1beta1, ready', { controlPlaneReady: true }, true],
    ['another condition', when('Available', 'True'), false],
    ['what is no status', 'yes', false],
  ])('%s', (_, status, expected) => {
    expect(clusterOfClusterApi(cluster({ status: status as object })).initialized).toBe(expected)
  })
})

describe('paused', () => {
  it.each([
    ['not', {}, undefined],
    ['by its spec', { spec: { paused: true } }, 'spec.paused'],
    ['spec.paused false', { spec: { paused: false } }, undefined],
    [
      "by Cluster API's annotation, whatever its value",
      { annotations: { 'cluster.x-k8s.io/paused': '' } },
      'annotation cluster.x-k8s.io/paused',
    ],
    ['by ours', { annotations: { 'lockstep.dev/paused': 'true' } }, 'annotation lockstep.dev/paused'],
    ['ours with another value', { annotations: { 'lockstep.dev/paused': 'no' } }, undefined],
  ])('%s', (_, o, expected) => {
    expect(clusterOfClusterApi(cluster(o)).paused).toBe(expected)
  })
})

it('a Cluster as every cluster is seen', () => {
  expect(clusterOfClusterApi(cluster())).toMatchObject({
    kind: 'ClusterAPI',
    namespace: 'prod',
    name: 'eu-1',
    objectName: 'eu-1',
    uid: 'u',
    labels: { env: 'prod' },
    deleting: false,
    access: {
      type: 'Missing',
      message: 'Secret prod/eu-1-kubeconfig with label cluster.x-k8s.io/cluster-name does not exist',
    },
  })
})

describe('its kubeconfig', () => {
  const secret = (data: Record<string, string>) =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'eu-1-kubeconfig', namespace: 'prod', uid: 's', resourceVersion: '1' },
      data: Object.fromEntries(Object.entries(data).map(([k, v]) => [k, btoa(v)])),
    }) as never

  const text = (user: string, server = 'https://eu-1.test:6443') =>
    `current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: "${server}"}}]\nusers: [{name: u, user: ${user}}]\n`

  it('is under the key value', () => {
    expect(clusterApiAccess(secret({ value: text('{token: t}') }), [])).toMatchObject({
      type: 'Source',
      source: {
        type: 'Static',
        endpoint: { url: 'https://eu-1.test:6443', headers: { authorization: 'Bearer t' } },
      },
    })
  })

  it.each([
    [
      'another key',
      { kubeconfig: text('{token: t}') },
      'Missing',
      'Secret prod/eu-1-kubeconfig has no key value',
    ],
    [
      'a program',
      { value: text('{exec: {command: sh}}') },
      'Refused',
      'Secret prod/eu-1-kubeconfig: kubeconfig: users[0].user.exec: is not allowed in a cluster Secret; use token or a credential provider',
    ],
    [
      'an address without TLS',
      { value: text('{token: t}', 'http://eu-1.test') },
      'Refused',
      'Secret prod/eu-1-kubeconfig: kubeconfig: clusters[0].cluster.server: http://eu-1.test: only https is allowed',
    ],
  ])('with %s: %s', (_, data, type, message) => {
    expect(clusterApiAccess(secret(data), [])).toEqual({ type, message })
  })
})
