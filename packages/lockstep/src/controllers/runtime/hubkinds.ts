/** Kinds of the hub that controllers watch: by the name of the cache, the type of its objects. */
import type { ConfigMap, Secret } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
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
