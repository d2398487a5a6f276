/** What is known of one managed ClusterResourceSet, from its last look; its units work by it. */

import type { Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet, Inventory } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { companionName } from '../../decisions/resourceset/index.ts'
import type { SetRequest, SourceContent } from '../../deliver/modes/index.ts'
import { inventoryName } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { HubCaches } from './hubcaches.ts'

export interface ManagedSetPlan {
  readonly uid: string
  /** It is delivered by a Module of its own; then the rest says only what there is to deliver. */
  readonly isContinuous: boolean
  /** How each object is written. */
  readonly asked: SetRequest & { readonly write: 'Apply' | 'MergePatch'; readonly replaceImmutable: boolean }
  /** Longest time between two tries, milliseconds. */
  readonly intervalMs: number
  /** Those that can be applied. */
  readonly contents: readonly SourceContent[]
  /** Manifests for which nothing of the set is delivered. */
  readonly refusals: readonly { readonly reason: string; readonly message: string }[]
  /** What is delivered all the same. */
  readonly warnings: readonly {
    readonly reason: 'DuplicateObject' | 'InvalidResource'
    readonly message: string
  }[]
  /** Names of the clusters that may be worked on now: others wait for these. */
  readonly turns: ReadonlySet<string>
  /** `clock.steady()` of the last change of what is asked, for the ladder of retries. */
  readonly changedAt: number
}

/** A selected cluster, and what is written down of the set there. */
export interface SetClusterState {
  readonly view: ClusterView
  readonly isConnected: boolean
  /** Nothing is left to be done there. */
  readonly isApplied: boolean
  /** Undefined: nothing was done there, or it was another cluster. */
  readonly inventory: Stored<Inventory> | undefined
}

export const SET_KIND = 'ClusterResourceSet'

export const setRef = (set: Pick<Stored<ClusterResourceSet>, 'metadata'>): ModuleRef => ({
  kind: SET_KIND,
  namespace: set.metadata.namespace ?? '',
  name: set.metadata.name,
})

/** The Inventory of a set itself; that of its Module belongs to the Module. */
export const isOfSet = ({ spec: { moduleRef, set } }: Stored<Inventory>): boolean =>
  moduleRef.kind === SET_KIND && set !== undefined

/** What is written down of a set, by cluster. */
export const setInventories = (
  { inventories }: Pick<HubCaches, 'inventories'>,
  set: Pick<Stored<ClusterResourceSet>, 'metadata'>,
): Stored<Inventory>[] => [...inventories.store.by('module', moduleId(setRef(set)))]

/** What is written down of a set on one cluster. */
export const setInventoryOn = (
  { inventories }: Pick<HubCaches, 'inventories'>,
  set: Pick<Stored<ClusterResourceSet>, 'metadata'>,
  cluster: string,
): Stored<Inventory> | undefined => {
  const ref = setRef(set)
  return inventories.store.get({ namespace: ref.namespace, name: inventoryName(ref, cluster) })
}

export const companionRef = ({
  metadata: { namespace = '', name },
}: Pick<Stored<ClusterResourceSet>, 'metadata'>): ModuleRef => ({
  kind: 'Module',
  namespace,
  name: companionName(name),
})
