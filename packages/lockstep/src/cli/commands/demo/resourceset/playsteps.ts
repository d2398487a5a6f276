/** Plays the steps under one system, on a hub and a cluster of its own, in virtual time. */

import { createHttpClient } from '@lockstep/kube/client'
import { secretKind } from '@lockstep/kube/kinds'
import { bytesToBase64, type KubeObject } from '@lockstep/kube/object'
import { createSimEnv, type SimEnv } from '@lockstep/kube/sim'
import { LEASE_NAMESPACE, startClusterApi } from '@lockstep/simulators/clusterapi'
import { sharedCrds } from '../../../../api/crd/index.ts'
import { type ClusterResourceSet, resourceSetKinds, SET } from '../../../../api/kinds/index.ts'
import { startManager } from '../../../../controllers/manager/index.ts'
import { CLUSTER_NAME_LABEL, clusterApiKinds, kubeconfigName } from '../../../../fleet/inventories/index.ts'
import { installManifests } from '../../../kit/install/index.ts'
import {
  CONTROLLER_TOKEN,
  HUB,
  kubeconfigOf,
  type LocalFleet,
  startLocalFleet,
} from '../../../kit/localfleet/index.ts'
import { clusterDefinition } from './clusterdefinition.ts'
import {
  type ConfigMapLookup,
  SET_CLUSTER,
  SET_NAME,
  SET_STEPS,
  type SetStep,
  SOURCE,
  TARGET_NAMESPACE,
} from './setsteps.ts'

const NAMESPACE = 'default'
const USER = 'somebody'
const DELAYS = { notice: [20, 150], start: [400, 2200] } as const
const urlOf = (name: string): string => `https://${name}.demo.invalid`

/** After so long nothing is going to happen any more: Cluster API looks at everything every ten minutes. */
const PATIENCE_MS = 20 * 60_000
/** Everybody has come to rest. */
const REST_MS = 5000

export interface StepPlayer {
  readonly name: string
  readonly strategy: 'ApplyOnce' | 'Reconcile' | 'Continuous'
  readonly runs: 'ClusterAPI' | 'Lockstep'
}

export interface StepResults {
  readonly player: StepPlayer
  /** By step: milliseconds until what is expected; undefined: it never came to that. */
  readonly afterMs: ReadonlyMap<SetStep['id'], number | undefined>
}

export async function playSteps(seed: string, player: StepPlayer): Promise<StepResults> {
  const env = createSimEnv(seed)
  const fleet = startLocalFleet(env, {
    clusters: [SET_CLUSTER],
    delays: { notice: [...DELAYS.notice], start: [...DELAYS.start] },
  })
  for (const api of [fleet.hub, ...fleet.clusters.values()]) env.net.serve(urlOf(api.name), api.handle)
  prepare(fleet)
  await env.clock.run(() => false, REST_MS)
  const running = start(env, player)
  await env.clock.run(() => false, REST_MS)
  const afterMs = new Map<SetStep['id'], number | undefined>()
  const look: ConfigMapLookup = (name) => {
    const found = fleet.clusters.get(SET_CLUSTER)!.local.get('configmaps', TARGET_NAMESPACE, name)
    return found && found.metadata.deletionTimestamp === undefined
      ? (found as { data?: Record<string, string> }).data
      : undefined
  }
  for (const step of SET_STEPS) {
    act(fleet, player, step)
    const begun = env.clock.steady()
    await env.clock.run(() => step.isMet(look), PATIENCE_MS)
    afterMs.set(step.id, step.isMet(look) ? env.clock.steady() - begun : undefined)
    await env.clock.run(() => false, REST_MS)
  }
  running.stop()
  fleet.stop()
  return { player, afterMs }
}

function start(env: SimEnv, { runs }: StepPlayer): { stop(): void } {
  const connection = (name: string, headers: Record<string, string> = {}) =>
    env.net.connect({ url: urlOf(name), headers }, 'operator')
  if (runs === 'Lockstep') {
    const hub = connection(HUB, { authorization: `Bearer ${CONTROLLER_TOKEN}` })
    return startManager(env, createHttpClient(env, HUB, hub, 'lockstep-controller'))
  }
  const manager = startClusterApi(env, {
    name: 'capi-controller-manager',
    version: '1.13',
    hub: () => connection(HUB),
    cluster: (_, name) => connection(name),
  })
  return { stop: () => manager.kill() }
}

/** The hub of a management cluster, as after `lockstep install`. The first step makes the rest. */
function prepare({ hub }: LocalFleet): void {
  const installed = installManifests({ namespaces: [NAMESPACE], profiles: ['capi', 'resource-sets'] })
  for (const o of [...installed, ...sharedCrds(), clusterDefinition()]) put(hub, o as unknown as KubeObject)
  put(hub, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: LEASE_NAMESPACE } })
}

function put({ local }: LocalFleet['hub'], object: KubeObject): void {
  const made = local.apply(object, USER, { force: true })
  if (!made.ok) throw new Error(`${object.kind} ${object.metadata.name}: ${made.error.message}`)
}

function act(fleet: LocalFleet, player: StepPlayer, { id, act: doing }: SetStep): void {
  const { hub } = fleet
  const cluster = fleet.clusters.get(SET_CLUSTER)!
  if (doing.type === 'source') {
    const source = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: SOURCE, namespace: NAMESPACE } }
    if (id === 'created') {
      put(hub, { ...source, data: doing.data } as KubeObject)
      putCluster(hub)
      put(hub, setOf(player))
    } else change(hub, { ...source, data: doing.data } as KubeObject)
    return
  }
  const metadata = { name: doing.name, namespace: TARGET_NAMESPACE }
  if (doing.type === 'edit')
    change(cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: doing.data } as KubeObject)
  else cluster.local.delete('configmaps', TARGET_NAMESPACE, doing.name, USER)
}

/** Its fields take the place of those that are there. */
function change({ local }: LocalFleet['hub'], object: KubeObject): void {
  const { name = '', namespace = '' } = object.metadata
  const there = local.get('configmaps', namespace, name)
  // What is not there cannot be edited: the step is met or not as it is.
  if (!there) return
  const done = local.update({ ...there, ...object, metadata: there.metadata }, USER)
  if (!done.ok) throw new Error(`${object.kind} ${name}: ${done.error.message}`)
}

function putCluster(hub: LocalFleet['hub']): void {
  const kubeconfig = kubeconfigOf([SET_CLUSTER], () => ({ url: urlOf(SET_CLUSTER) }))
  put(hub, {
    apiVersion: 'v1',
    kind: secretKind.kind,
    metadata: {
      name: kubeconfigName(SET_CLUSTER),
      namespace: NAMESPACE,
      labels: { [CLUSTER_NAME_LABEL]: SET_CLUSTER },
    },
    type: 'cluster.x-k8s.io/secret',
    data: { value: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  } as KubeObject)
  const { group, version, kind } = clusterApiKinds[0]!
  const cluster = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: SET_CLUSTER, namespace: NAMESPACE, labels: { env: 'prod' } },
    spec: { controlPlaneEndpoint: { host: 'c1.demo.invalid', port: 443 } },
  } as KubeObject
  put(hub, cluster)
  const made = hub.local.get(`${clusterApiKinds[0]!.plural}.${group}`, NAMESPACE, SET_CLUSTER)!
  const initialization = { infrastructureProvisioned: true, controlPlaneInitialized: true }
  const done = hub.local.updateStatus({ ...made, status: { initialization } } as KubeObject, USER)
  if (!done.ok) throw new Error(done.error.message)
}

function setOf({ strategy }: StepPlayer): KubeObject {
  const { group, version, kind } = resourceSetKinds[0]!
  const set: ClusterResourceSet = {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name: SET_NAME, namespace: NAMESPACE, annotations: { [SET.prune]: 'true' } },
    spec: {
      clusterSelector: { matchLabels: { env: 'prod' } },
      resources: [{ kind: 'ConfigMap', name: SOURCE }],
      strategy,
    },
  }
  return set
}
