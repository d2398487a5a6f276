import type { Env } from '../../../kube/src/env/env.ts'
import { timestamp as timestampOf } from '../../../kube/src/object/index.ts'
import type { FieldManager } from '../apply/fieldmanagertypes.ts'
import type { Issuer } from '../auth/tokens/issuer.ts'
import type { Allocator } from '../resources/servedkind.ts'
import type { Kinds } from '../resources/kindregistry.ts'
import type { Store } from '../store/resourcestore.ts'

/** Everything that one cluster is made of; nothing in it is shared with another one that could be written. */
export interface Cluster {
  readonly name: string
  readonly env: Env
  readonly store: Store
  readonly kinds: Kinds
  readonly fields: FieldManager
  readonly allocate: Allocator
  /** Of tokens of ServiceAccounts. */
  readonly issuer: Issuer
  /** Which parts of a cluster there are. `apiextensions`: no namespaces, no garbage collector. */
  readonly profile: Profile
}

export type Profile = 'cluster' | 'apiextensions'

/** Now, or `seconds` later, as objects carry it. */
export const timestamp = (cluster: Cluster, seconds = 0): string =>
  timestampOf(cluster.env.clock.now() + seconds * 1000)
