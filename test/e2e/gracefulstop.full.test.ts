/** A controller that is asked to stop while a write has no answer yet: it waits for the answer, then hands the Lease over. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApiServer } from '../../packages/apiserver/src/server/index.ts'
import { value, WRITE } from '../../packages/kube/src/client/client.cases.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Handler, Listening } from '../../packages/kube/src/env/net.ts'
import { namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { moduleKind } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { CLUSTER_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import {
  createLocalCertificate,
  type LocalCertificate,
} from '../../packages/lockstep/src/cli/kit/localfleet/localcertificate.ts'
import { ControllerReplicas } from '../integration/controllerreplicas.ts'
import { installHub } from '../integration/installhub.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'

const env = loopbackEnv()
const hub = createApiServer(env, { name: 'hub' })
const cluster = createApiServer(env, { name: 'c1' })
/** In the order in which the servers saw them. */
const events: string[] = []
let certificate: LocalCertificate
let replicas: ControllerReplicas
const listening: Listening[] = []

/** Resolves when the first write of a ConfigMap of the Module has arrived; its answer is sent after `answer()`. */
let arrive = (): void => {}
const arrived = new Promise<void>((resolve) => {
  arrive = resolve
})
let answer = (): void => {}
const answered = new Promise<void>((resolve) => {
  answer = resolve
})

const isWrite = (method: string): boolean => !['GET', 'HEAD'].includes(method)

const onCluster: Handler = async (request) => {
  const response = await cluster.handle(request)
  if (!isWrite(request.method) || !/configmaps\/(first|second)/.test(request.url)) return response
  events.push(`applied ${/configmaps\/(\w+)/.exec(request.url)?.[1]}`)
  arrive()
  await answered
  events.push('answered')
  return response
}

const onHub: Handler = async (request) => {
  const response = await hub.handle(request)
  const [lease] = hub.local.list('leases.coordination.k8s.io', 'lockstep-system')
  const holder = (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity
  if (isWrite(request.method) && request.url.includes('/leases/')) {
    if (holder === '') events.push('released')
    for (const seen of leaseWrites.splice(0)) seen()
  }
  return response
}

const leaseWrites: (() => void)[] = []
const nextLeaseWrite = (): Promise<void> => new Promise((resolve) => leaseWrites.push(resolve))

async function serve(name: string, handler: Handler): Promise<string> {
  const opened = await env.net.listen({ host: '127.0.0.1', port: 0, tls: certificate }, handler)
  if (!opened.ok) throw new Error(opened.error.detail)
  listening.push(opened.value)
  return JSON.stringify({
    'current-context': name,
    contexts: [{ name, context: { cluster: name } }],
    clusters: [
      { name, cluster: { server: opened.value.url, 'certificate-authority-data': btoa(certificate.ca) } },
    ],
  })
}

beforeAll(async () => {
  certificate = await createLocalCertificate(env)
  const [hubConfig, clusterConfig] = [await serve('hub', onHub), await serve('c1', onCluster)]
  const endpoint = { url: listening[0]!.url, tls: { ca: certificate.ca } }
  const client = createHttpClient(env, 'hub', env.net.connect(endpoint, 'operator'), 'test')
  await installHub(client)
  const namespace = 'platform'
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
  value(await client.create(namespaceKind, body, WRITE))
  const metadata = { name: 'c1', namespace, labels: { [CLUSTER_LABEL]: 'true' } }
  const data = { kubeconfig: btoa(clusterConfig) }
  value(await client.create(secretKind, { apiVersion: 'v1', kind: 'Secret', metadata, data }, WRITE))
  const objects = ['first', 'second'].map((name, wave) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'default',
      annotations: { 'argocd.argoproj.io/sync-wave': `${wave}` },
    },
  }))
  const module = {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: { name: 'app', namespace },
    spec: { source: { inline: { objects } }, targets: { clusters: ['c1'] } },
  }
  value(await client.create(moduleKind, module as never, WRITE))
  await client.close()
  replicas = new ControllerReplicas(hubConfig, 'stop', 'endless')
})
afterAll(async () => {
  await replicas.stop()
  await Promise.all(listening.map((l) => l.close()))
})

it('ends with 0 after the answer, starts nothing more, and releases the Lease last', async () => {
  const leader = await replicas.start()
  await arrived
  leader.kill('SIGTERM')
  await leader.said('controller stops')
  // Renewals after the stop show that the process waits, and holds the Lease.
  for (let i = 0; i < 3; i++) await Promise.race([nextLeaseWrite(), leader.ended])
  answer()
  expect(await leader.ended).toEqual({ code: 0, words: '' })
  expect(events).toEqual(['applied first', 'answered', 'released'])
})
