/** Kinds of inventories, with no more than the fields that are read of them; and objects of these kinds. */

import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import type { Kind } from '../../packages/kube/src/object/kind.ts'
import { ARGOCD_LABEL } from '../../packages/lockstep/src/fleet/inventories/argocd.ts'
import {
  CLUSTER_NAME_LABEL,
  clusterApiKinds,
  kubeconfigName,
} from '../../packages/lockstep/src/fleet/inventories/clusterapi.ts'
import { clusterProfileKinds } from '../../packages/lockstep/src/fleet/inventories/clusterprofile.ts'

const text = { type: 'string' }
const flag = { type: 'boolean' }
const list = (properties: object) => ({ type: 'array', items: { type: 'object', properties } })
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const conditions = list({ type: text, status: text, reason: text, message: text })

function definitionOf(kinds: readonly Kind[], spec: object, status: object) {
  const { group, plural, kind } = kinds[0]!
  const object = (properties: object) => ({ type: 'object', properties })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Without it a real server refuses groups of its own project.
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: kinds.map(({ version }, i) => ({
        name: version,
        served: true,
        storage: i === 0,
        schema: { openAPIV3Schema: object({ spec: object(spec), status: object(status) }) },
        subresources: { status: {} },
      })),
    },
  }
}

/** `version`: the only one that is served; absent: both. */
export const clusterDefinition = (version?: string) =>
  definitionOf(
    clusterApiKinds.filter((k) => version === undefined || k.version === version),
    { paused: flag, topology: { type: 'object', properties: { version: text } } },
    {
      initialization: { type: 'object', properties: { controlPlaneInitialized: flag } },
      controlPlaneReady: flag,
      conditions,
    },
  )

const access = list({ name: text, cluster: free })

export const profileDefinition = () =>
  definitionOf(
    clusterProfileKinds.filter((k) => k.version === 'v1alpha1'),
    { clusterManager: { type: 'object', properties: { name: text } } },
    {
      properties: list({ name: text, value: text }),
      accessProviders: access,
      credentialProviders: access,
      conditions,
    },
  )

const base64 = (s: string): string => bytesToBase64(new TextEncoder().encode(s))

/** As the control plane of a Cluster writes it. */
export const kubeconfigSecret = (cluster: string, namespace: string, kubeconfig: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: kubeconfigName(cluster), namespace, labels: { [CLUSTER_NAME_LABEL]: cluster } },
  type: 'cluster.x-k8s.io/secret',
  data: { value: base64(kubeconfig) },
})

export const argoSecret = (
  name: string,
  namespace: string,
  server: string,
  config: object | string,
  labels: Record<string, string> = {},
  more: Record<string, string> = {},
) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace, labels: { ...labels, [ARGOCD_LABEL]: 'cluster' } },
  type: 'Opaque',
  data: {
    name: base64(name),
    server: base64(server),
    config: base64(typeof config === 'string' ? config : JSON.stringify(config)),
    ...Object.fromEntries(Object.entries(more).map(([k, v]) => [k, base64(v)])),
  },
})
