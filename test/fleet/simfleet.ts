/** A fleet in virtual time: a hub and clusters, all in this process, for tests. */
import { ownCrds } from '../../src/api/crd.ts'
import { crdKind, namespaceKind, secretKind } from '../../src/api/kinds/foreign.ts'
import { CLUSTER_LABEL } from '../../src/api/labels.ts'
import { type ApiServer, type CommitRecord, createApiServer } from '../../src/apiserver/apiserver.ts'
import { Oracles } from '../../src/apiserver/world/oracle/oracle.ts'
import { startWorld, type World, type WorldOptions } from '../../src/apiserver/world/world.ts'
import { type Manager, startManager } from '../../src/controllers/manager.ts'
import type { Env } from '../../src/env/env.ts'
import { createSimEnv, type SimEnv } from '../../src/env/sim/sim.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { createKubeClient } from '../../src/kube/http.ts'
import { bytesToBase64, type KubeObject } from '../../src/object/object.ts'
import { Rollouts } from '../simulation/rollouts.ts'

export const NAMESPACE = 'platform'

export interface SimFleet {
  readonly env: SimEnv
  readonly hub: KubeClient
  /** Its server. */
  readonly hubApi: ApiServer
  /** Names of the hub's objects of a resource, in the namespace of the tests. */
  stored(resource: string): string[]
  /** The hub's objects of a resource, in the namespace of the tests. */
  objects(resource: string): readonly KubeObject[]
  inventories(): readonly KubeObject[]
  /** ControllerRevisions, oldest first or not. */
  revisions(): readonly KubeObject[]
  readonly clusters: ReadonlyMap<
    string,
    { readonly api: ApiServer; readonly client: KubeClient; readonly world: World }
  >
  readonly commits: CommitRecord[]
  readonly oracles: Oracles
  /** What holds of rollouts. */
  readonly rollouts: Rollouts
  /** Another cluster answers at the address of this one from now on; its commits are seen under a name of its own, which it returns. */
  remake(name: string): string
  /** In the surroundings of the fleet, or in others that lead to it. */
  startController(env?: Env): Manager
}

export interface SimFleetOptions extends Partial<WorldOptions> {
  /** Nobody judges the writes: what is measured is what is delivered. */
  readonly unjudged?: boolean
}

export async function simFleet(
  seed: string,
  names: readonly string[],
  { unjudged = false, ...options }: SimFleetOptions = {},
): Promise<SimFleet> {
  const env = createSimEnv(seed)
  const commits: CommitRecord[] = []
  const oracles = new Oracles(() => env.clock.steady())
  const rollouts = new Rollouts(env.clock)
  const onCommit = (c: CommitRecord): void => {
    commits.push(c)
    if (unjudged) return
    oracles.observe(c)
    rollouts.see(c)
  }
  const serve = (name: string, own = name) => {
    const api = createApiServer(env, { name: own, onCommit })
    env.net.serve(`https://${name}.test`, api.handle)
    return {
      api,
      client: clientOf(env, name, 'test'),
      world: startWorld(env, api.local, { name: own, ...options }),
    }
  }
  let remade = 0
  const hub = serve('hub')
  const clusters = new Map(names.map((n) => [n, serve(n)]))
  const remake = (name: string): string => {
    clusters.get(name)?.world.stop()
    const own = `${name}~${++remade}`
    clusters.set(name, serve(name, own))
    env.net.cut(`https://${name}.test`)
    return own
  }
  const ready = prepare(env, hub.client, names)
  await env.clock.run(() => false, 1000)
  await ready
  return {
    env,
    hub: hub.client,
    hubApi: hub.api,
    stored: (resource) => hub.api.local.list(resource, NAMESPACE).map((o) => o.metadata.name ?? ''),
    objects: (resource) => hub.api.local.list(resource, NAMESPACE),
    inventories: () => hub.api.local.list('inventories.lockstep.dev', NAMESPACE),
    revisions: () => hub.api.local.list('controllerrevisions.apps', NAMESPACE),
    clusters,
    commits,
    oracles,
    rollouts,
    remake,
    startController: (own = env) => startManager(own, clientOf(own, 'hub', 'lockstep-controller')),
  }
}

export function clientOf(env: Env, name: string, agent: string): KubeClient {
  return createKubeClient(env, name, env.net.connect({ url: `https://${name}.test` }), agent)
}

/** Made once a process: to make them costs as much as a small test. */
const OWN_CRDS = ownCrds()

async function prepare(env: SimEnv, hub: KubeClient, names: readonly string[]): Promise<void> {
  const write = { why: 'user', manager: 'test' } as const
  for (const crd of OWN_CRDS) must(await hub.create(crdKind, crd as never, write))
  must(
    await hub.create(
      namespaceKind,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
      write,
    ),
  )
  for (const name of names) must(await hub.create(secretKind, clusterSecret(name, { env: 'prod' }), write))
  void env
}

export function clusterSecret(name: string, labels: Record<string, string>) {
  const kubeconfig = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://${name}.test"}}]
users: [{name: u, user: {token: t}}]
`
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE, labels: { ...labels, [CLUSTER_LABEL]: 'true' } },
    type: 'Opaque',
    data: { kubeconfig: bytesToBase64(new TextEncoder().encode(kubeconfig)) },
  }
}

export function must<T>(r: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (!r.ok) throw new Error(JSON.stringify(r.error))
  return r.value
}
