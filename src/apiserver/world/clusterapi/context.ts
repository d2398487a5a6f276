import type { Client } from './client.ts'
import type { Connections } from './connections.ts'
import type { Informer } from './informer.ts'
import type { ClusterApiOptions, Ways } from './options.ts'

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
