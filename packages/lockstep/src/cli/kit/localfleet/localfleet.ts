/** A hub and clusters in this process, with simulated workloads: what `up` serves and `demo` plays on. */

import {
  type AccessOptions,
  type ApiServer,
  type CommitListener,
  createApiServer,
  type User,
} from '@lockstep/apiserver/server'
import type { KubeClient } from '@lockstep/kube/client'
import { type Env, sleep } from '@lockstep/kube/env'
import { bytesToBase64, encodeYaml, type KubeObject } from '@lockstep/kube/object'
import type { OperatorPlans } from '@lockstep/simulators/olm'
import { type Delays, startWorld, type World } from '@lockstep/simulators/world'
import { GROUP } from '../../../api/apiversion.ts'
import { CLUSTER_LABEL, SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import type { Profile } from '../../../api/rights.ts'
import { deployerAccount, installManifests } from '../install/index.ts'

export const HUB = 'hub'
/** Where Modules and cluster Secrets live. */
export const FLEET_NAMESPACE = 'platform'

export interface LocalFleet {
  readonly hub: ApiServer
  readonly clusters: ReadonlyMap<string, ApiServer>
  readonly worlds: ReadonlyMap<string, World>
  stop(): void
}

export interface LocalFleetOptions {
  readonly clusters: readonly string[]
  readonly delays: Delays
  readonly onCommit?: CommitListener
  /** Clusters have machines of Cluster API. */
  readonly machines?: boolean
  /** Clusters have operators of OLM. */
  readonly operators?: OperatorPlans
}

export function startLocalFleet(env: Env, o: LocalFleetOptions): LocalFleet {
  const create = (name: string, access: AccessOptions): ApiServer =>
    createApiServer(env, { name, access, ...(o.onCommit ? { onCommit: o.onCommit } : {}) })
  // In this process: for other programs each has a token of its own.
  const tokens = new Map([[CONTROLLER_TOKEN, CONTROLLER_USER]])
  const hub = create(HUB, { anonymous: 'admin', tokens })
  const clusters = new Map(o.clusters.map((name) => [name, create(name, { anonymous: 'admin' })]))
  const worlds = new Map(
    [hub, ...clusters.values()].map((api) => [
      api.name,
      startWorld(env, api.local, {
        name: api.name,
        delays: o.delays,
        machines: o.machines ?? false,
        ...(o.operators ? { operators: o.operators } : {}),
      }),
    ]),
  )
  return {
    hub,
    clusters,
    worlds,
    stop: () => {
      for (const world of worlds.values()) world.stop()
    },
  }
}

/** How clients reach a server. */
export interface ServerAccess {
  readonly url: string
  /** Authority that clients trust, as PEM text. */
  readonly ca?: string
  /** Bearer token. */
  readonly token?: string
}

export type AccessOf = (name: string) => ServerAccess

/** The controller, with the rights that `lockstep install` gives it. */
export const CONTROLLER_USER: User = {
  name: `system:serviceaccount:${SYSTEM_NAMESPACE}:lockstep-controller`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${SYSTEM_NAMESPACE}`, 'system:authenticated'],
}

/** Token of the controller, for requests in this process. */
export const CONTROLLER_TOKEN = 'lockstep-controller'

/** All but that of Argo CD, which needs a namespace of its own. */
export const LOCAL_PROFILES: readonly Profile[] = [
  'capi',
  'clusterprofiles',
  'flux',
  'pipelines',
  'resource-sets',
  'weave',
]

const MANAGER = 'lockstep-up'
/** Manager of `lockstep install | kubectl apply --server-side`: the user may install with other profiles, without a conflict. */
const INSTALLER = 'kubectl'

/** Our kinds, the namespace, and a Secret for each cluster; the first cluster is the canary. */
export function furnish(fleet: LocalFleet, accessOf: AccessOf): void {
  const { local } = fleet.hub
  const put = (object: KubeObject, manager: string): void => {
    const made = local.apply(object, manager)
    if (!made.ok) throw new Error(`${object.kind} ${object.metadata.name}: ${made.error.message}`)
  }
  const installed = installManifests({ namespaces: [FLEET_NAMESPACE], profiles: LOCAL_PROFILES })
  // The hub is the user's own: its first namespace is for all that there is.
  const [, admin] = deployerAccount(FLEET_NAMESPACE, 'cluster-admin')
  for (const o of [...installed, admin!]) put(o as unknown as KubeObject, INSTALLER)
  for (const [i, name] of [...fleet.clusters.keys()].entries())
    put(clusterSecret(name, accessOf(name), i === 0), MANAGER)
}

function clusterSecret(name: string, access: ServerAccess, isCanary: boolean): KubeObject {
  const kubeconfig = kubeconfigOf([name], () => access)
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: FLEET_NAMESPACE,
      labels: { [CLUSTER_LABEL]: 'true', env: 'prod', ...(isCanary ? { tier: 'canary' } : {}) },
    },
    type: 'Opaque',
    data: { kubeconfig: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  }
}

/** A context of a user with rights in one namespace of the first server. */
export interface TenantContext {
  readonly namespace: string
  readonly token: string
}

/** A kubeconfig with one context a server, and one a tenant; the first is the current one, and has the namespace. */
export function kubeconfigOf(
  names: readonly string[],
  accessOf: AccessOf,
  namespace?: string,
  tenants: readonly TenantContext[] = [],
): string {
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': names[0] ?? '',
    clusters: names.map((name) => ({ name, cluster: clusterOf(accessOf(name)) })),
    contexts: [
      ...names.map((name, i) => ({
        name,
        context: { cluster: name, user: USER, ...(namespace && i === 0 ? { namespace } : {}) },
      })),
      ...tenants.map(({ namespace: name }) => ({
        name,
        context: { cluster: names[0] ?? '', user: name, namespace: name },
      })),
    ],
    users: [
      { name: USER, user: userOf(names[0], accessOf) },
      ...tenants.map(({ namespace: name, token }) => ({ name, user: { token } })),
    ],
  })
}

/** One for all servers. */
const USER = 'lockstep-up'

const clusterOf = ({ url, ca }: ServerAccess) => ({
  server: url,
  ...(ca === undefined ? {} : { 'certificate-authority-data': bytesToBase64(new TextEncoder().encode(ca)) }),
})

function userOf(name: string | undefined, accessOf: AccessOf) {
  const token = name === undefined ? undefined : accessOf(name).token
  return token === undefined ? {} : { token }
}

/** Definitions are served a moment after they are written. */
export async function untilServed(env: Env, hub: KubeClient, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const served = await hub.discover({ purpose: 'sync' })
    if (served.ok && served.value.some((r) => r.group === GROUP)) return
    await sleep(env.clock, 20, signal)
  }
}
