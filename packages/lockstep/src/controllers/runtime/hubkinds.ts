/** Kinds of the hub that controllers watch: by the name of the cache, the type of its objects. */
import type { ConfigMap, Secret } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import type { Priority } from '@lockstep/kube/workqueue'
import type {
  Approval,
  ClusterResourceSet,
  ClusterResourceSetBinding,
  DisruptionBudget,
  ExternalAssemblage,
  Hold,
  Inventory,
  Module,
  Pipeline,
  Promotion,
  RemoteAssemblage,
} from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { Predicate } from './predicates.ts'
import type { RevisionRecord } from './revisionrecord.ts'

export interface HubKinds {
  readonly modules: Stored<Module>
  readonly bootstrapModules: Stored<Module>
  readonly assemblages: Stored<RemoteAssemblage>
  /** External assemblages. */
  readonly foreign: Stored<ExternalAssemblage>
  readonly inventories: Stored<Inventory>
  readonly holds: Stored<Hold>
  readonly approvals: Stored<Approval>
  readonly disruptionBudgets: Stored<DisruptionBudget>
  readonly pipelines: Stored<Pipeline>
  readonly promotions: Stored<Promotion>
  readonly revisions: RevisionRecord
  /** Metadata of the Secrets that hold bundles. */
  readonly shards: Stored
  /** The one Secret with the keys of digests. */
  readonly keys: Stored<Secret>
  readonly configMaps: Stored<ConfigMap>
  readonly sets: Stored<ClusterResourceSet>
  readonly setBindings: Stored<ClusterResourceSetBinding>
  /** Pipelines of weaveworks. */
  readonly weavePipelines: Stored
}

export type HubKind = keyof HubKinds

/** An object as a cache had it, and as it has it now. */
export interface CacheChange<T> {
  readonly before: T | undefined
  readonly after: T | undefined
}

/** A change of an object on the hub. */
export interface HubRule<T, Key> {
  readonly predicate: Predicate<T>
  /** `object`: as it is, or as it was before it went. */
  readonly enqueue: (object: T, change: CacheChange<T>) => Iterable<Key>
  readonly priority: Priority
}

export type HubRules<Key> = { readonly [K in HubKind]: HubRule<HubKinds[K], Key>[] }

export const noRules = <Key>(): HubRules<Key> => ({
  modules: [],
  bootstrapModules: [],
  assemblages: [],
  foreign: [],
  inventories: [],
  holds: [],
  approvals: [],
  disruptionBudgets: [],
  pipelines: [],
  promotions: [],
  revisions: [],
  shards: [],
  keys: [],
  configMaps: [],
  sets: [],
  setBindings: [],
  weavePipelines: [],
})

/** The cache of the Modules of a kind. */
export const cacheOf = ({ kind }: ModuleRef) => (kind === 'Module' ? 'modules' : 'bootstrapModules')
