/**
 * Upgrades on one real API server, each by one tool after another. Prints times, requests, and server seconds by resource.
 * Completion is seen by a watch.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import { createNodeEnv } from '../../packages/kube/src/env/node/nodeenv.ts'
import { quiet } from '../../test/kube/subjects.ts'
import { endpointOf, startRealServers } from '../../test/real/realservers.ts'
import { type LayoutName, type LayoutUnit, layoutOf } from '../../test/requests/layout.ts'
import { startLockstep } from './locksteppeer.ts'
import type { Peer, PeerPlace, ReleaseTime } from './peer.ts'
import { startRaw } from './rawpeer.ts'
import {
  addedFigures,
  leaseP99,
  type ProcessFigures,
  processFigures,
  type ResourceFigure,
  serverFigures,
} from './serverfigures.ts'

export interface PeerOptions {
  /** Folder of etcd, kube-apiserver and kube-controller-manager. */
  readonly assets: string
  readonly units: number
  readonly layout: LayoutName
  readonly tools: readonly string[]
  readonly pairs: number
  /** Folder of kustomize-controller, source-controller and their definitions. */
  readonly flux?: string | undefined
  readonly told?: (run: PeerRun) => void
}

export interface PeerRun extends ReleaseTime {
  readonly tool: string
  readonly what: string
  readonly requests: number
  readonly resources: readonly ResourceFigure[]
  /** Seconds; undefined: no Lease was updated. */
  readonly leaseP99: number | undefined
  /** CPU of kube-apiserver. */
  readonly serverCpuSeconds: number
  readonly processes: Readonly<Record<string, ProcessFigures | undefined>>
}

export const TOOLS: readonly string[] = ['lockstep', 'flux', 'raw']
const STARTS: Readonly<Record<string, (place: PeerPlace) => Promise<Peer> | Peer>> = {
  lockstep: startLockstep,
  raw: startRaw,
}

export async function comparePeers(o: PeerOptions): Promise<PeerRun[]> {
  const units = layoutOf(o.layout, o.units)
  const runs: PeerRun[] = []
  for (let pair = 0; pair < o.pairs; pair++)
    for (const tool of o.tools) runs.push(...(await contend(tool, o, units)))
  return runs
}

/** A tool on servers of its own: an install, then an upgrade, then a deletion. */
async function contend(
  tool: string,
  { assets, layout, told }: PeerOptions,
  units: readonly LayoutUnit[],
): Promise<PeerRun[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lockstep-peers-'))
  const servers = await startRealServers(assets, ['peer'])
  try {
    const [cluster] = servers.clusters
    const env = createNodeEnv(quiet)
    const client = createHttpClient(env, 'peer', env.net.connect(endpointOf(cluster!), 'operator'), 'bench')
    const peer = await STARTS[tool]!({ env, cluster: cluster!, client, folder })
    const measure = async (what: string, work: () => Promise<ReleaseTime>): Promise<PeerRun> => {
      const before = await serverFigures(cluster!)
      const cpu = processesOf(peer)
      const time = await work()
      const after = await serverFigures(cluster!)
      const resources = addedFigures(before, after)
      const run = {
        tool,
        what: `${layout} ${units.length}, ${what}`,
        ...time,
        requests: resources.reduce((sum, r) => sum + r.requests, 0),
        resources,
        leaseP99: leaseP99(before, after),
        serverCpuSeconds: after.cpuSeconds - before.cpuSeconds,
        processes: spentBy(cpu, processesOf(peer)),
      }
      told?.(run)
      return run
    }
    const runs = [
      await measure('install', () => peer.release(units, '1')),
      await measure('upgrade', () => peer.release(units, '2')),
    ]
    if (peer.deleteAll)
      runs.push(
        await measure('deletion', async () => ({
          writing: 0,
          delivering: await peer.deleteAll!(units),
        })),
      )
    await peer.stop()
    return runs
  } finally {
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Processes = Readonly<Record<string, ProcessFigures | undefined>>

const processesOf = ({ pids }: Peer): Processes =>
  Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, processFigures(pid)]))

const spentBy = (before: Processes, after: Processes): Processes =>
  Object.fromEntries(
    Object.entries(after).map(([name, f]) => [
      name,
      f && { ...f, cpuSeconds: f.cpuSeconds - (before[name]?.cpuSeconds ?? 0) },
    ]),
  )
