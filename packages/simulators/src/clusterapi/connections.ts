/** Connections to workload clusters: kept ahead of their use (`controllers/clustercache`), or made when first used. */
import { type Cancel, sleep } from '@lockstep/kube/env'
import { at, type KubeObject } from '@lockstep/kube/object'
import { NotConnected } from './aggregateerror.ts'
import type { ClusterApiOptions, UpstreamBehavior } from './clusterapioptions.ts'
import { Remote } from './remote.ts'
import { keyOf } from './setspec.ts'
import { ClientRateLimit, type Process, UpstreamClient } from './upstreamclient.ts'

const RETRY_MS = 30_000
const PROBE_MS = 10_000
/** Connections, discovery, Pods looked for: a run that comes at the same time as the Cluster is too early. */
const CONNECT_MS = 50
const FAILURES = 5

export interface Connections {
  /** @throws NotConnected, RequestFailed */
  remote(cluster: KubeObject): Promise<Remote>
  /** The cache says that a Cluster has changed, or is gone. */
  see(cluster: KubeObject, gone: boolean): void
}

/** `changed`: a connection came or went. */
export function openConnections(
  life: Process,
  ways: UpstreamBehavior,
  o: ClusterApiOptions,
  changed: (cluster: KubeObject) => void,
): Connections {
  const connect = async (cluster: KubeObject): Promise<Remote> => {
    const { namespace = '', name = '' } = cluster.metadata
    const connection = o.cluster(namespace, name)
    if (!connection) throw new NotConnected()
    const limit = new ClientRateLimit(life.env, ways.clusterRate)
    const client = new UpstreamClient(life, `${namespace}/${name}`, connection, limit)
    await sleep(life.env.clock, CONNECT_MS)
    await probe(client)
    return new Remote(client, () => o.lagMs?.('remote') ?? 0)
  }
  return ways.connects === 'ahead' ? ahead(life, connect, changed) : lazily(connect)
}

/** Any answer of the server's root is one. */
const probe = (client: UpstreamClient): Promise<unknown> => client.aside('GET', '/version')

function lazily(connect: (cluster: KubeObject) => Promise<Remote>): Connections {
  const open = new Map<string, Remote>()
  return {
    async remote(cluster) {
      const found = open.get(keyOf(cluster)) ?? (await connect(cluster))
      open.set(keyOf(cluster), found)
      return found
    },
    see(cluster, gone) {
      if (!gone) return
      open.get(keyOf(cluster))?.stop()
      open.delete(keyOf(cluster))
    },
  }
}

/** What is known of one Cluster. */
interface Accessor {
  cluster: KubeObject
  remote?: Remote | undefined
  failures: number
  timer?: Cancel | undefined
  isBusy: boolean
}

function ahead(
  life: Process,
  connect: (cluster: KubeObject) => Promise<Remote>,
  changed: (cluster: KubeObject) => void,
): Connections {
  const accessors = new Map<string, Accessor>()
  const { clock } = life.env
  const again = (a: Accessor, ms: number): void => {
    a.timer?.()
    a.timer = clock.at(clock.steady() + ms, () => {
      a.timer = undefined
      void look(a)
    })
  }
  const look = async (a: Accessor): Promise<void> => {
    if (a.isBusy || life.isDead() || accessors.get(keyOf(a.cluster)) !== a) return
    a.isBusy = true
    const was = a.remote
    await check(a, connect)
    a.isBusy = false
    if (accessors.get(keyOf(a.cluster)) !== a) return a.remote?.stop()
    if (was !== a.remote) changed(a.cluster)
    again(a, a.remote ? PROBE_MS : RETRY_MS)
  }
  return {
    async remote(cluster) {
      const found = accessors.get(keyOf(cluster))?.remote
      if (!found) throw new NotConnected()
      return found
    },
    see(cluster, gone) {
      const key = keyOf(cluster)
      const a = accessors.get(key) ?? { cluster, failures: 0, isBusy: false }
      if (gone) {
        a.timer?.()
        a.remote?.stop()
        accessors.delete(key)
        return
      }
      a.cluster = cluster
      accessors.set(key, a)
      if (isReachable(cluster) && !a.remote && !a.timer) void look(a)
    },
  }
}

async function check(a: Accessor, connect: (cluster: KubeObject) => Promise<Remote>): Promise<void> {
  try {
    if (a.remote) await probe(a.remote.client)
    else a.remote = await connect(a.cluster)
    a.failures = 0
  } catch {
    if (a.remote && ++a.failures >= FAILURES) {
      a.remote.stop()
      a.remote = undefined
      a.failures = 0
    }
  }
}

/** Nothing is tried before there is something to connect to; the older field and the newer. */
const isReachable = (cluster: KubeObject): boolean =>
  at(cluster, 'status', 'infrastructureReady') === true ||
  at(cluster, 'status', 'initialization', 'infrastructureProvisioned') === true
