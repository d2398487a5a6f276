import type { Client } from './upstreamclient.ts'
import type { Connections } from './connections.ts'
import type { Informer } from './upstreaminformer.ts'
import type { ClusterApiOptions, Ways } from './clusterapioptions.ts'

/** What the reconcilers share. */
export interface Context {
  readonly client: Client
  readonly ways: Ways
  readonly options: ClusterApiOptions
  readonly sets: Informer
  readonly clusters: Informer
  readonly bindings: Informer
  readonly connections: Connections
}
