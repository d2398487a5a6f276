/**
 * Cluster API: a `Cluster`, and the Secret with its kubeconfig that its control plane writes. Both API versions
 * (`api/core/v1beta1`, `api/core/v1beta2` of kubernetes-sigs/cluster-api).
 */

import { conditionIs } from '@lockstep/health/state'
import type { Secret } from '@lockstep/kube/kinds'
import { at, type KubeObject, type Stored } from '@lockstep/kube/object'
import { records } from '../../api/records.ts'
import type { ClusterAccess, ClusterView } from '../clusters/cluster.ts'
import type { AllowedProxies } from '../kubeconfig/clusterproxy.ts'
import { inventoryHeadOf } from './inventoryhead.ts'
import { kubeconfigAccess } from './kubeconfigsecret.ts'

/** The best first. */
export const clusterApiKinds = records.clusterApi

/** On every Secret that belongs to a Cluster; Cluster API itself sees no others. */
export const CLUSTER_NAME_LABEL = 'cluster.x-k8s.io/cluster-name'

/** Its presence is enough, whatever its value (`util/annotations`). */
const PAUSED = 'cluster.x-k8s.io/paused'

const KEY = 'value'

/** Name of the Secret (`util/secret`). */
export const kubeconfigName = (cluster: string): string => `${cluster}-kubeconfig`

/** Before its kubeconfig is known. */
export function clusterOfClusterApi(o: Stored): ClusterView {
  const head = inventoryHeadOf('ClusterAPI', o)
  return { ...head, paused: pausedBy(o) ?? head.paused, initialized: isInitialized(o), access: missing(o) }
}

/** The credential in a Cluster's kubeconfig Secret. */
export const clusterApiAccess = (kubeconfig: Stored<Secret>, proxies: AllowedProxies): ClusterAccess =>
  kubeconfigAccess(kubeconfig, [KEY], proxies)

function pausedBy(o: KubeObject): string | undefined {
  if (at(o, 'spec', 'paused') === true) return 'spec.paused'
  return Object.hasOwn(o.metadata.annotations ?? {}, PAUSED) ? `annotation ${PAUSED}` : undefined
}

/** v1beta2 has a field that is set once; v1beta1 the condition, which says the same, and a bool that may go back. */
const isInitialized = (o: KubeObject): boolean =>
  at(o, 'status', 'initialization', 'controlPlaneInitialized') === true ||
  conditionIs(o, 'ControlPlaneInitialized', 'True') !== undefined ||
  at(o, 'status', 'controlPlaneReady') === true

function missing({ metadata }: Stored): ClusterAccess {
  const { namespace, name } = metadata
  const secret = `Secret ${namespace}/${kubeconfigName(name)}`
  return { type: 'Missing', message: `${secret} with label ${CLUSTER_NAME_LABEL} does not exist` }
}
