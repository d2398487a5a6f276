/** A real server grants tokens a shorter life than they are asked for: they are renewed by the life that it granted. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ANY, READ, value } from '../../packages/kube/src/client/client.cases.ts'
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { namespaceKind, secretKind, serviceAccountKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { CLUSTER_LABEL, RENEW_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { credentialController } from '../../packages/lockstep/src/controllers/credential/credentialcontroller.ts'
import { objectKey } from '../../packages/lockstep/src/controllers/runtime/requestkeys.ts'
import type { ClusterView } from '../../packages/lockstep/src/fleet/clusters/cluster.ts'
import {
  type CredentialLife,
  credentialLife,
} from '../../packages/lockstep/src/fleet/credentials/credentialexpiry.ts'
import { clusterOfKubeconfigSecret } from '../../packages/lockstep/src/fleet/inventories/kubeconfigsecret.ts'
import { tokenKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/tokenkubeconfig.ts'
import { clusterRoleBindingKind } from '../fleet/accountrights.ts'
import { loopbackEnv } from '../kube/loopbackenv.ts'
import {
  endpointOf,
  findPrograms,
  type RealCluster,
  type RealServers,
  startRealServers,
} from './realservers.ts'

const NAMESPACE = 'platform'
const ACCOUNT = { namespace: NAMESPACE, name: 'lockstep' }
const KEY = { namespace: NAMESPACE, name: 'edge-1' }
const FORCE = { ...ANY, force: true } as const
const HOUR_MS = 3_600_000
const ASKED_SECONDS = 7 * 24 * 3600

let servers: RealServers
let cluster: RealCluster
let client: KubeClient
const env = loopbackEnv()

beforeAll(async () => {
  // An hour is the least that kube-apiserver takes for this flag.
  const flags = ['--service-account-max-token-expiration=1h']
  servers = await startRealServers(findPrograms()!, [], ['grants'], flags)
  cluster = servers.clusters[0]!
  client = createHttpClient(env, 'grants', env.net.connect(endpointOf(cluster), 'operator'), 'test')
  await register()
}, 120_000)
afterAll(async () => {
  await client?.close()
  await servers?.stop()
})

/** As `lockstep cluster add --token-ttl 168h` does. */
async function register(): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }
  value(await client.apply(namespaceKind, namespace, FORCE))
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT }
  value(await client.apply(serviceAccountKind, account, FORCE))
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'lockstep' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
  }
  value(await client.apply(clusterRoleBindingKind, binding as KubeObject, FORCE))
  const token = value(await client.token(ACCOUNT, { seconds: ASKED_SECONDS, purpose: 'user' }))
  const kubeconfig = tokenKubeconfig({ name: KEY.name, server: cluster.url, ca: cluster.ca, token })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...KEY,
      labels: { [CLUSTER_LABEL]: 'true' },
      annotations: { [RENEW_ANNOTATION]: `${ASKED_SECONDS}s` },
    },
    data: { kubeconfig: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  }
  value(await client.apply(secretKind, secret, FORCE))
}

/** The cluster as its Secret is now. */
async function present(): Promise<{ view: ClusterView; life: CredentialLife }> {
  const view = clusterOfKubeconfigSecret(value(await client.get(secretKind, KEY, READ)), [])
  if (view.access.type !== 'Source') throw new Error(`the Secret is ${view.access.type}`)
  return { view, life: credentialLife(view.access.source.endpoint)! }
}

/** Reconciles once, by a wall clock that is `aheadMs` fast. Milliseconds until the renewal; undefined: it was done. */
async function reconcile(aheadMs: number): Promise<number | undefined> {
  const { view, life } = await present()
  const clock = { ...env.clock, now: () => env.clock.now() + aheadMs }
  const ahead: Env = { ...env, clock }
  const controller = credentialController({
    env: ahead,
    hub: { credentials: client },
    fleet: { viewOf: () => view, credentialLife: () => life },
    events: { record() {} } as never,
    clusterProxies: [],
  })
  const result = await controller.reconcile(objectKey.of(KEY), undefined as never)
  expect(result.ok).toBe(true)
  return result.requeueAfterMs
}

/** Two thirds of an hour, 10 % more or less; some of it has passed already. */
function expectPlanned(leftMs: number | undefined): void {
  expect(leftMs).toBeLessThanOrEqual(HOUR_MS * (2 / 3) * 1.1)
  expect(leftMs).toBeGreaterThan(HOUR_MS * (2 / 3) * 0.9 - HOUR_MS / 12)
}

it('a week is asked for, an hour is granted: the renewal is due after two thirds of the hour, each time', async () => {
  const first = await present()
  expect(first.life.endsAt - first.life.beganAt!).toBe(HOUR_MS)
  expectPlanned(await reconcile(0))
  // Nothing was written: it is not due.
  expect((await present()).view.resourceVersion).toBe(first.view.resourceVersion)
  expect(await reconcile(0.75 * HOUR_MS)).toBeUndefined()
  const second = await present()
  expect(second.view.resourceVersion).not.toBe(first.view.resourceVersion)
  expect(second.life.endsAt - second.life.beganAt!).toBe(HOUR_MS)
  expect(second.life.beganAt!).toBeGreaterThanOrEqual(first.life.beganAt!)
  expectPlanned(await reconcile(0))
}, 60_000)
