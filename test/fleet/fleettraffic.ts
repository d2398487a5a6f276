/** What a process of controllers asks of the clusters of a fleet, and when. */
import type { NetRequest } from '../../packages/kube/src/env/net.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'
import type { SimFleet } from './simfleet.ts'

export interface ClusterRequest {
  /** Virtual milliseconds. */
  readonly at: number
  readonly cluster: string
  /** `follow`: a watch that goes on where a list has just ended. */
  readonly what: 'read' | 'watch' | 'follow' | 'write'
  readonly path: string
}

/** From now on: what reaches a cluster, or would, if it could be reached. */
export class FleetTraffic {
  readonly asked: ClusterRequest[] = []
  private readonly fleet: SimFleet
  /** Lists that no watch has followed yet. */
  private readonly listed = new Set<string>()
  private readonly away = new Set<string>()

  /** `wayMs`: for so long each request is under way. */
  constructor(fleet: SimFleet, wayMs = 0) {
    this.fleet = fleet
    for (const cluster of fleet.clusters.keys())
      fleet.env.net.wire(`https://${cluster}.test`, {
        before: async (request) => {
          if (`${request.headers?.['user-agent']}`.startsWith('lockstep-controller'))
            this.note(cluster, request)
          if (wayMs > 0) await sleep(fleet.env.clock, wayMs)
          return this.away.has(cluster) ? AWAY : undefined
        },
      })
  }

  /** Nobody gets there any more, and what is open breaks. */
  lose(clusters: readonly string[]): void {
    for (const c of clusters) {
      this.away.add(c)
      this.fleet.env.net.cut(`https://${c}.test`)
    }
  }

  /** All of them, at once. */
  find(): void {
    this.away.clear()
  }

  /** What has its turns: all that is read, and watches that follow no list. */
  inTurn(from: number, to = Number.POSITIVE_INFINITY): ClusterRequest[] {
    return this.asked.filter((a) => IN_TURN.has(a.what) && a.at >= from && a.at < to)
  }

  private note(cluster: string, { method, path }: NetRequest): void {
    const at = this.fleet.env.clock.steady()
    const { pathname, searchParams } = new URL(path, 'https://c.test')
    const list = `${cluster} ${pathname} ${searchParams.get('labelSelector')} ${searchParams.get('fieldSelector')}`
    const isWatch = searchParams.get('watch') === 'true'
    if (method !== 'GET') this.asked.push({ at, cluster, what: 'write', path })
    else if (!isWatch) this.asked.push({ at, cluster, what: 'read', path })
    else this.asked.push({ at, cluster, what: this.listed.has(list) ? 'follow' : 'watch', path })
    if (method === 'GET' && isWatch) this.listed.delete(list)
    if (method === 'GET' && searchParams.has('limit')) this.listed.add(list)
  }
}

const AWAY = { phase: 'connect', detail: 'connect ETIMEDOUT 10.3.0.1:6443' } as const
const IN_TURN: ReadonlySet<ClusterRequest['what']> = new Set(['read', 'watch'])

/** Most in any window of so many milliseconds, wherever it begins. */
export function busiest(asked: readonly Pick<ClusterRequest, 'at'>[], windowMs: number): number {
  let most = 0
  for (let first = 0, next = 0; next < asked.length; next++) {
    // Virtual instants are fractions, and their differences rounded.
    while (asked[next]!.at - asked[first]!.at > windowMs - 0.001) first++
    most = Math.max(most, next - first + 1)
  }
  return most
}

/** The same, of each cluster: the busiest one. */
export function busiestCluster(asked: readonly ClusterRequest[], windowMs: number): number {
  const by = new Map<string, ClusterRequest[]>()
  for (const a of asked) by.set(a.cluster, [...(by.get(a.cluster) ?? []), a])
  return Math.max(0, ...[...by.values()].map((of) => busiest(of, windowMs)))
}
