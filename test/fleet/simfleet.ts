/** A fleet in virtual time: a hub and clusters, all in this process, for tests. */

import {
  type ApiServer,
  type CommitRecord,
  createApiServer,
  type Snapshot,
} from '../../packages/apiserver/src/server/index.ts'
import type { ImpersonatingClient, KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import { SIM_EPOCH } from '../../packages/kube/src/env/sim/simclock.ts'
import { createSimEnv, type SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { crdKind, namespaceKind, secretKind } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { ownCrds } from '../../packages/lockstep/src/api/crd/crd.ts'
import { CLUSTER_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import { Oracles } from '../../packages/simulators/src/oracle/oracle.ts'
import { startWorld, type World, type WorldOptions } from '../../packages/simulators/src/world/startworld.ts'
import { registerSurroundings } from '../missedwakeups.ts'
import { noteReasons } from '../reasons/storedreasons.ts'
import { Rollouts } from '../simulation/rollouts.ts'
import { accountsAdmin, clusterRoleBindingKind } from './accountrights.ts'

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
  /** A start state with the objects of all servers. Take it at rest, from a fleet without remade clusters. */
  freeze(): Start
}

/** A fleet to fork: its stores are shared by all forks, controllers and simulators begin again. */
export interface Start {
  /** Milliseconds of virtual time that have passed. */
  readonly at: number
  readonly servers: ReadonlyMap<string, Snapshot>
  readonly commits: readonly TimedCommit[]
}

interface TimedCommit {
  readonly at: number
  readonly commit: CommitRecord
}

export interface SimFleetOptions extends Partial<WorldOptions> {
  /** Nobody judges the writes: what is measured is what is delivered. */
  readonly unjudged?: boolean
  /** Limit in milliseconds within which a change is known, where watches are late on purpose. */
  readonly newsMs?: number
  /** The fleet is a fork of this one: the named clusters that it has are not created again. */
  readonly from?: Start
}

export async function simFleet(
  seed: string,
  names: readonly string[],
  options: SimFleetOptions = {},
): Promise<SimFleet> {
  return openFleet(seed, names, { ...options, from: options.from ?? (await definedHub()) })
}

/** Created once a worker: the definitions cost more than a small delivery. */
let defined: Promise<Start> | undefined

/** A hub with our definitions and the namespace of the tests, without clusters. */
const definedHub = (): Promise<Start> =>
  (defined ??= openFleet('defined hub', []).then((fleet) => fleet.freeze()))

async function openFleet(
  seed: string,
  names: readonly string[],
  { unjudged = false, newsMs, from, ...options }: SimFleetOptions = {},
): Promise<SimFleet> {
  const env = createSimEnv(seed, from?.at)
  registerSurroundings(env)
  const trace = new Trace(env, unjudged, newsMs)
  for (const timed of from?.commits ?? []) trace.replay(timed)
  const serve = (name: string, own = name) => {
    const snapshot = own === name ? from?.servers.get(name) : undefined
    const api = createApiServer(env, {
      name: own,
      onCommit: (c) => trace.add(c),
      ...(snapshot && { from: snapshot }),
    })
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
  // The hub of the start state knows its clusters, and some may have been deleted there since.
  const known = from?.servers.has('hub') ? from.servers : new Map()
  const ready = prepare(
    hub,
    names.filter((n) => !known.has(n)),
  )
  await env.clock.run(() => false, from ? 1000 : 0)
  await ready
  const { commits, oracles, rollouts } = trace
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
    startController: (own = env) =>
      startManager(own, clientOf(own, 'hub', 'lockstep-controller'), { argocdNamespaces: [NAMESPACE] }),
    freeze: () => {
      const servers = new Map([['hub', hub.api.snapshot()]])
      for (const [name, { api }] of clusters) servers.set(name, api.snapshot())
      return { at: env.clock.steady(), servers, commits: trace.timed() }
    },
  }
}

/** The writes to all servers, as they are judged. */
class Trace {
  readonly commits: CommitRecord[] = []
  readonly oracles: Oracles
  readonly rollouts: Rollouts
  private readonly times: number[] = []
  private readonly env: SimEnv
  private readonly unjudged: boolean
  /** The time of a replayed write. */
  private past: number | undefined

  constructor(env: SimEnv, unjudged: boolean, newsMs: number | undefined) {
    this.env = env
    this.unjudged = unjudged
    const steady = (): number => this.past ?? env.clock.steady()
    this.oracles = new Oracles(steady, newsMs)
    this.rollouts = new Rollouts({ steady, now: () => SIM_EPOCH + Math.floor(steady()) })
  }

  add(commit: CommitRecord): void {
    this.commits.push(commit)
    this.times.push(this.past ?? this.env.clock.steady())
    if (commit.cluster === 'hub') noteReasons(commit)
    if (this.unjudged) return
    this.oracles.observe(commit)
    this.rollouts.see(commit)
  }

  /** Oracles judge a fork by all that was written before it: an admission there is evidence here. */
  replay({ at, commit }: TimedCommit): void {
    this.past = at
    this.add(commit)
    this.past = undefined
  }

  timed(): TimedCommit[] {
    return this.commits.map((commit, i) => ({ at: this.times[i]!, commit }))
  }
}

export function clientOf(env: Env, name: string, agent: string): ImpersonatingClient {
  return createHttpClient(env, name, env.net.connect({ url: `https://${name}.test` }, 'operator'), agent)
}

/** Creates what no start state has brought. */
async function prepare(
  { api, client }: { api: ApiServer; client: KubeClient },
  names: readonly string[],
): Promise<void> {
  const write = { purpose: 'user', manager: 'test' } as const
  if (!api.local.get('namespaces', '', NAMESPACE)) {
    for (const crd of ownCrds()) must(await client.create(crdKind, crd as never, write))
    must(await client.create(clusterRoleBindingKind, accountsAdmin(), write))
    const metadata = { name: NAMESPACE }
    must(await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata }, write))
  }
  for (const name of names)
    if (!api.local.get('secrets', NAMESPACE, name))
      must(await client.create(secretKind, clusterSecret(name, { env: 'prod' }), write))
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
