import type { ClusterApiOptions, UpstreamBehavior } from './clusterapioptions.ts'
import type { Connections } from './connections.ts'
import type { UpstreamClient } from './upstreamclient.ts'
import type { UpstreamInformer } from './upstreaminformer.ts'

/** What the reconcilers share. */
export interface ClusterApiContext {
  readonly client: UpstreamClient
  readonly ways: UpstreamBehavior
  readonly options: ClusterApiOptions
  readonly sets: UpstreamInformer
  readonly clusters: UpstreamInformer
  readonly bindings: UpstreamInformer
  readonly connections: Connections
}
