import { defineKind, type KubeObject, type LabelSelector } from '@lockstep/kube/object'
import type { OwnKind } from '../ownkind.ts'
import { ageColumn, type PrinterColumn, statusColumn } from '../printercolumn.ts'
import { type RecordKind, recordKind } from '../recordkind.ts'
import {
  ADDONS_GROUP,
  ADDONS_VERSIONS,
  type BindingEntry,
  type ResourceSetSourceRef,
  resourceSetBindingSpec,
  resourceSetSpec,
} from './spec.ts'
import { type ResourceSetStatus, resourceSetStatus } from './status.ts'

/** On a definition: `clusterctl move` takes its objects along. */
const MOVE_LABEL = 'clusterctl.cluster.x-k8s.io/move'

export interface ClusterResourceSet extends KubeObject {
  readonly spec: {
    readonly clusterSelector: LabelSelector
    /** v1beta1 does not ask for any. */
    readonly resources?: readonly ResourceSetSourceRef[]
    /** Upstream's webhook sets the default; on a hub without that webhook the field may be missing. */
    readonly strategy?: string
  }
  readonly status?: ResourceSetStatus
}

/** One a Cluster, of its name, for all sets. */
export interface ClusterResourceSetBinding extends KubeObject {
  readonly spec: { readonly bindings?: readonly BindingEntry[]; readonly clusterName?: string }
}

const kinds = <T extends KubeObject>(kind: string, plural: string): readonly RecordKind<T>[] =>
  ADDONS_VERSIONS.map((version) =>
    recordKind(defineKind<T>({ group: ADDONS_GROUP, version, kind, plural, namespaced: true })),
  )
export const resourceSetKinds = kinds<ClusterResourceSet>('ClusterResourceSet', 'clusterresourcesets')
export const resourceSetBindingKinds = kinds<ClusterResourceSetBinding>(
  'ClusterResourceSetBinding',
  'clusterresourcesetbindings',
)

export const setColumns: readonly PrinterColumn[] = [
  { name: 'Strategy', type: 'string', jsonPath: '.spec.strategy' },
  {
    name: 'Applied',
    type: 'string',
    jsonPath: ".status.conditions[?(@.type=='ResourcesApplied')].status",
  },
  statusColumn,
  ageColumn,
]

export const setKind: OwnKind<ClusterResourceSet> = {
  ...resourceSetKinds[0]!,
  singular: 'clusterresourceset',
  shortNames: ['crs'],
  summary:
    'ConfigMaps and Secrets with manifests, deployed to the Cluster API clusters that the set selects.',
  spec: resourceSetSpec,
  status: resourceSetStatus,
  columns: setColumns,
  labels: { [MOVE_LABEL]: '' },
}

export const setBindingColumns: readonly PrinterColumn[] = [
  { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' },
  ageColumn,
]

export const setBindingKind: OwnKind<ClusterResourceSetBinding> = {
  ...resourceSetBindingKinds[0]!,
  singular: 'clusterresourcesetbinding',
  shortNames: ['crsb'],
  summary: 'Sources that ClusterResourceSets applied to one cluster.',
  spec: resourceSetBindingSpec,
  columns: setBindingColumns,
  labels: { [MOVE_LABEL]: '' },
}
