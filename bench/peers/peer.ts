import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { RealCluster } from '../../test/real/realservers.ts'
import type { LayoutUnit } from '../../test/requests/layout.ts'

/** One server, and the folder for the files of the run. */
export interface PeerPlace {
  readonly env: Env
  readonly cluster: RealCluster
  readonly client: KubeClient
  readonly folder: string
}

export interface ReleaseTime {
  /** Milliseconds of writing what a user writes. */
  readonly writing: number
  /** Milliseconds from the last acknowledged write to the last unit that is ready. */
  readonly delivering: number
}

/** A tool that delivers units, or the objects alone. */
export interface Peer {
  readonly name: string
  /** Delivers the version to all units. */
  release(units: readonly LayoutUnit[], version: string): Promise<ReleaseTime>
  /** Milliseconds until nothing of the units is left; undefined: it is not measured. */
  deleteAll?(units: readonly LayoutUnit[]): Promise<number>
  /** Its processes, by name. */
  readonly pids: Readonly<Record<string, number>>
  stop(): Promise<void>
}
