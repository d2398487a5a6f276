/** The demo's fleet: embedded clusters in virtual time, real controllers, and oracles over every write. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { createHttpClient, type ImpersonatingClient } from '@lockstep/kube/client'
import { type InProcessWire, sleep } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import { createSimEnv, type SimEnv } from '@lockstep/kube/sim'
import { Oracles } from '@lockstep/simulators/oracle'
import type { Delays } from '@lockstep/simulators/world'
import type { Hold, Inventory, Module, RemoteAssemblage } from '../../../api/kinds/index.ts'
import { CLUSTER_LABEL, UNIT_LABEL } from '../../../api/labels.ts'
import { type Manager, startManager } from '../../../controllers/manager/index.ts'
import { clusterOfKubeconfigSecret } from '../../../fleet/inventories/index.ts'
import {
  CONTROLLER_TOKEN,
  FLEET_NAMESPACE,
  furnish,
  HUB,
  type LocalFleet,
  type LocalFleetOptions,
  startLocalFleet,
} from '../../kit/localfleet/index.ts'
import type { FleetSnapshot } from '../../kit/snapshot/index.ts'

export interface DemoFleet {
  readonly env: SimEnv
  readonly local: LocalFleet
  readonly oracles: Oracles
  readonly tally: WriteTally
  readonly manager: Manager
  /** The person's client; others are `as` users with the rights that they are given. */
  readonly user: ImpersonatingClient
  snapshot(): FleetSnapshot
  /** The result of something that needs the fleet's time to pass. */
  wait<T>(work: Promise<T>): Promise<T>
  stop(): void
}

/** Counts over the trace of writes. */
export interface WriteTally {
  readonly commits: CommitRecord[]
  hub: number
  clusters: number
  /** Objects on clusters that Lockstep created, changed or deleted. */
  changed: number
}

const DELAYS: Delays = { notice: [20, 150], start: [400, 2200] }

const urlOf = (name: string): string => `https://${name}.demo.invalid`

/** What differs from the fleet of the story. */
export type DemoFleetOptions = Partial<Pick<LocalFleetOptions, 'delays' | 'machines' | 'operators'>> & {
  /** Sees each write, with the fleet's time. */
  readonly watch?: (c: CommitRecord, env: SimEnv) => void
}

export async function startDemoFleet(
  seed: string,
  names: readonly string[],
  o: DemoFleetOptions = {},
): Promise<DemoFleet> {
  const env = createSimEnv(seed)
  const oracles = new Oracles(() => env.clock.steady())
  const tally: WriteTally = { commits: [], hub: 0, clusters: 0, changed: 0 }
  const onCommit = (c: CommitRecord): void => {
    oracles.observe(c)
    count(tally, c)
    o.watch?.(c, env)
  }
  const local = startLocalFleet(env, {
    clusters: names,
    delays: o.delays ?? DELAYS,
    machines: o.machines ?? false,
    ...(o.operators ? { operators: o.operators } : {}),
    onCommit,
  })
  for (const api of [local.hub, ...local.clusters.values()]) env.net.serve(urlOf(api.name), api.handle)
  for (const name of local.clusters.keys()) env.net.wire(urlOf(name), wireOf(env, name))
  furnish(local, (name) => ({ url: urlOf(name) }))
  await env.clock.run(() => false, 1000)
  const connect = (agent: string, token?: string): ImpersonatingClient => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    return createHttpClient(env, HUB, env.net.connect({ url: urlOf(HUB), headers }, 'operator'), agent)
  }
  const manager = startManager(env, connect('lockstep-controller', CONTROLLER_TOKEN))
  await env.clock.run(() => false, 1000)
  return {
    env,
    local,
    oracles,
    tally,
    manager,
    user: connect('lockstep-cli'),
    snapshot: () => snapshotOf(env, local),
    async wait(work) {
      let isDone = false
      const done = work.finally(() => {
        isDone = true
      })
      await env.clock.run(() => isDone)
      return done
    },
    stop() {
      manager.stop()
      local.stop()
    },
  }
}

/** A request to a cluster takes its time. */
function wireOf(env: SimEnv, name: string): InProcessWire {
  const random = env.random.fork(`wire ${name}`)
  return {
    async before() {
      await sleep(env.clock, 8 + random.next() * 30)
      return undefined
    },
  }
}

const ACTORS = new Set(['lockstep', 'lockstep-controller'])

function count(tally: WriteTally, c: CommitRecord): void {
  tally.commits.push(c)
  if (!ACTORS.has(c.actor) && !c.actor.startsWith('lockstep-module-')) return
  if (c.cluster === HUB) {
    tally.hub++
    return
  }
  tally.clusters++
  const isDelivered = (c.next ?? c.old)?.metadata.labels?.[UNIT_LABEL] !== undefined
  // A deletion with finalizers is two commits of one change.
  const isGoing = c.old?.metadata.deletionTimestamp !== undefined
  if (isDelivered && !isGoing) tally.changed++
}

function snapshotOf(env: SimEnv, local: LocalFleet): FleetSnapshot {
  const all = <T>(resource: string): T[] =>
    [...local.hub.local.list(resource, FLEET_NAMESPACE)] as unknown as T[]
  const secrets = all<Stored<Secret>>('secrets').filter((s) => s.metadata.labels?.[CLUSTER_LABEL] === 'true')
  return {
    modules: all<Stored<Module>>('modules.lockstep.dev'),
    inventories: all<Stored<Inventory>>('inventories.lockstep.dev'),
    assemblages: all<Stored<RemoteAssemblage>>('remoteassemblages.lockstep.dev'),
    foreign: [],
    holds: all<Stored<Hold>>('holds.lockstep.dev'),
    clusters: secrets.map((s) => clusterOfKubeconfigSecret(s, [])),
    nowMs: env.clock.now(),
  }
}

/** Requests that Lockstep sent to clusters to change something. */
export function changeRequests(env: SimEnv): number {
  const verbs = new Set(['apply', 'create', 'patch', 'update', 'delete'])
  return env.meters
    .read()
    .filter((m) => m.name === 'lockstep_client_requests_total' && m.labels.scope === 'cluster')
    .filter((m) => verbs.has(m.labels.verb ?? ''))
    .reduce((sum, m) => sum + m.value, 0)
}
