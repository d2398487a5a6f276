/** Clusters of a story with a token of an account, as `lockstep cluster add` registers them. */
import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { type Secret, secretKind, serviceAccountKind } from '../../packages/kube/src/kinds/types.ts'
import { base64ToBytes, bytesToBase64, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { RENEW_ANNOTATION } from '../../packages/lockstep/src/api/labels.ts'
import { credentialLife } from '../../packages/lockstep/src/fleet/credentials/credentialexpiry.ts'
import { parseClusterKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/kubeconfigtarget.ts'
import { tokenKubeconfig } from '../../packages/lockstep/src/fleet/kubeconfig/tokenkubeconfig.ts'
import { clusterRoleBindingKind } from './accountrights.ts'
import { clusterSecret, must, NAMESPACE } from './simfleet.ts'
import type { Story } from './steps.ts'

const WRITE = { purpose: 'user', manager: 'admin', precondition: 'any', force: true } as const
export const ACCOUNT = { namespace: 'default', name: 'lockstep' }

/** The account may do everything. Its token is in the Secret of the cluster. `seconds`: its life. */
export async function registerCluster(
  story: Story,
  cluster: string,
  seconds: number,
  annotations: Readonly<Record<string, string>> = { [RENEW_ANNOTATION]: `${seconds}s` },
): Promise<void> {
  const { client } = story.fleet.clusters.get(cluster)!
  await story.during(giveRights(client))
  await putToken(story, cluster, seconds, annotations)
}

async function giveRights(client: KubeClient): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: ACCOUNT }
  must(await client.apply(serviceAccountKind, account, WRITE))
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'lockstep' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
  }
  must(await client.apply(clusterRoleBindingKind, binding as KubeObject, WRITE))
}

/** A new token in the Secret, as an administrator issues it. */
export async function putToken(
  story: Story,
  cluster: string,
  seconds: number,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const { client } = story.fleet.clusters.get(cluster)!
  const token = must(await story.during(client.token(ACCOUNT, { seconds, purpose: 'user' })))
  const secret = clusterSecret(cluster, { env: 'prod' })
  const kubeconfig = tokenKubeconfig({ name: cluster, server: `https://${cluster}.test`, token })
  const body = {
    ...secret,
    metadata: { ...secret.metadata, annotations },
    data: { kubeconfig: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  }
  must(await story.during(story.fleet.hub.apply(secretKind, body, WRITE)))
}

/** Kubeconfig of the Secret now. */
export function storedKubeconfig(story: Story, cluster: string): string {
  const secret = story.fleet.hubApi.local.get('secrets', NAMESPACE, cluster) as Secret
  return new TextDecoder().decode(base64ToBytes(secret.data!.kubeconfig!))
}

/** When the token in the Secret ends, in milliseconds. */
export function storedEnd(story: Story, cluster: string): number {
  const target = parseClusterKubeconfig(storedKubeconfig(story, cluster), 'Any')
  return credentialLife((target as { value: { source: { endpoint: object } } }).value.source.endpoint)!.endsAt
}

/** Writes of the controller to the Secret. */
export const renewals = (story: Story, cluster: string): number =>
  story.fleet.commits.filter(
    (c) =>
      c.cluster === 'hub' &&
      c.resource === 'secrets' &&
      c.key === `${NAMESPACE}/${cluster}` &&
      c.agent === 'lockstep-controller',
  ).length

/** Requests of the controller to a cluster, by the code of the answer. */
export function answers(story: Story, cluster: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { name, labels, value } of story.fleet.env.meters.read())
    if (name === 'lockstep_client_requests_total' && labels.cluster === cluster && labels.scope === 'cluster')
      counts[labels.code!] = (counts[labels.code!] ?? 0) + value
  return counts
}
