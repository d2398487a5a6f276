import type { Env } from '@lockstep/kube/env'
import { timestamp as timestampOf } from '@lockstep/kube/object'
import type { FieldManager } from '../apply/fieldmanagertypes.ts'
import type { Issuer } from '../auth/tokens/issuer.ts'
import type { KindRegistry } from '../resources/kindregistry.ts'
import type { Allocator } from '../resources/servedkind.ts'
import type { ResourceStore } from '../store/resourcestore.ts'

/** Everything that one cluster is made of; nothing in it is shared with another one that could be written. */
export interface EmbeddedCluster {
  readonly name: string
  readonly env: Env
  readonly store: ResourceStore
  readonly kinds: KindRegistry
  readonly fields: FieldManager
  readonly allocate: Allocator
  /** Of tokens of ServiceAccounts. */
  readonly issuer: Issuer
  /** Which parts of a cluster there are. `apiextensions`: no namespaces, no garbage collector. */
  readonly profile: ClusterProfile
}

export type ClusterProfile = 'cluster' | 'apiextensions'

/** Now, or `seconds` later, as objects carry it. */
export const timestamp = (cluster: EmbeddedCluster, seconds = 0): string =>
  timestampOf(cluster.env.clock.now() + seconds * 1000)
