/** What the simulated Cluster API may be told, and what differs between its versions. */
import type { Connection } from '@lockstep/kube/env'
import type { Rate, UpstreamRequest } from './upstreamclient.ts'

export type ClusterApiVersion = '1.8' | '1.9' | '1.13'

/** The releases whose source code the simulation follows. */
export const RELEASES: Readonly<Record<ClusterApiVersion, string>> = {
  '1.8': '1.8.12',
  '1.9': '1.9.11',
  '1.13': '1.14.2',
}

/** How a version goes about it. */
export interface UpstreamBehavior {
  readonly apiVersion: 'v1beta1' | 'v1beta2'
  /** A `Paused` condition that the reconciler sets and heeds; before, only events of paused objects were passed over. */
  readonly acknowledgesPause: boolean
  /** The finalizer has a request of its own before anything else; before, it came with the patch at the end of a run. */
  readonly finalizerFirst: boolean
  /** Conditions of the newer kind beside those with severities. */
  readonly newConditions: boolean
  /** The helper of older versions: a patch of the status, perhaps empty, follows one of its conditions, and repeats metadata. */
  readonly loosePatches: boolean
  /** Another observedGeneration alone is worth a patch of `Paused`, and the run ends with it. */
  readonly patchesGenerations: boolean
  /** Nothing is applied before the Service `default/kubernetes` is there. */
  readonly waitsForService: boolean
  /** `ahead`: connections are kept by a controller of their own, and a run that finds none comes again on connect. */
  readonly connects: 'ahead' | 'lazily'
  /** Being without a connection is an error with backoff; else the next try is after a minute. */
  readonly backsOffUnconnected: boolean
  /** What an unknown strategy does. */
  readonly unknownStrategy: 'crash' | 'panic' | 'refused'
  /** Least time between two runs of one set. */
  readonly gapMs: number
  /** Requests a second and at once: to the hub, to each workload cluster (`--kube-api-qps`, `--clustercache-client-qps`). */
  readonly hubRate: Rate
  readonly clusterRate: Rate
}

const OLD: UpstreamBehavior = {
  apiVersion: 'v1beta1',
  acknowledgesPause: false,
  finalizerFirst: false,
  newConditions: false,
  loosePatches: true,
  patchesGenerations: true,
  waitsForService: true,
  connects: 'lazily',
  backsOffUnconnected: true,
  unknownStrategy: 'crash',
  gapMs: 0,
  hubRate: { qps: 20, burst: 30 },
  clusterRate: { qps: 20, burst: 30 },
}
const PAUSING: UpstreamBehavior = {
  ...OLD,
  acknowledgesPause: true,
  finalizerFirst: true,
  newConditions: true,
  connects: 'ahead',
  backsOffUnconnected: false,
  unknownStrategy: 'panic',
}

/** From the sources of `RELEASES` and, for when it changed, the specification's table of versions (1.1). */
export const UPSTREAM_BEHAVIORS: Readonly<Record<ClusterApiVersion, UpstreamBehavior>> = {
  '1.8': OLD,
  '1.9': PAUSING,
  '1.13': {
    ...PAUSING,
    apiVersion: 'v1beta2',
    loosePatches: false,
    patchesGenerations: false,
    waitsForService: false,
    backsOffUnconnected: true,
    unknownStrategy: 'refused',
    gapMs: 1000,
    hubRate: { qps: 100, burst: 200 },
  },
}

/** `util/controller/builder.go`; before, client-go's default. Milliseconds after so many failures in a row. */
export const backoffMs = (ways: UpstreamBehavior, failures: number): number =>
  Math.min(1_000_000, ways.gapMs + 5 * 2 ** failures)

/** What is read through caches, on the hub and on workload clusters. */
export type CachedKind =
  | 'clusterresourcesets'
  | 'clusterresourcesetbindings'
  | 'clusters'
  | 'sources'
  | 'remote'

export interface ClusterApiOptions {
  /** Names the process, its random stream and its identity in the Lease. */
  readonly name: string
  readonly version: ClusterApiVersion
  /** Connections of the process's own: they are closed at its end. */
  readonly hub: () => Connection
  /** The way to a workload cluster, as its kubeconfig has it; undefined: there is none. */
  readonly cluster: (namespace: string, name: string) => Connection | undefined
  /** `--watch-filter`. */
  readonly watchFilter?: string
  /** `--namespace`. */
  readonly namespace?: string
  /** `--clusterresourceset-concurrency`. */
  readonly concurrent?: number
  /** How long a request takes. */
  readonly requestMs?: number
  /** How far a cache is behind its server. */
  readonly lagMs?: (what: CachedKind) => number
  /** A request that the process is about to make waits for what this returns. Not asked for caches, Lease and probes. */
  readonly hold?: (request: UpstreamRequest) => Promise<void> | undefined
  /** The order in which a run takes the clusters; theirs is that of a map. */
  readonly order?: (names: readonly string[]) => readonly string[]
}
