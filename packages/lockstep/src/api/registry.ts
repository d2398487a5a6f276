/** Our kinds: one entry gives the CRD, RBAC, columns, validation and the commands that know it. */

import { defineKind, type Kind, type KubeObject } from '@lockstep/kube/object'
import type { z } from 'zod'
import { GROUP, VERSION } from './apiversion.ts'
import { APPROVAL_VALID, HOLD_ACTIVE } from './conditions.ts'
import {
  type ApprovalSpec,
  type ApprovalStatus,
  approvalSpec,
  approvalStatus,
} from './kinds/approval/spec.ts'
import {
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  MOVE_LABEL,
  resourceSetBindingKinds,
  resourceSetBindingSpec,
  resourceSetKinds,
  resourceSetSpec,
  resourceSetStatus,
} from './kinds/clusterresourceset/spec.ts'
import {
  type DisruptionBudgetSpec,
  type DisruptionBudgetStatus,
  disruptionBudgetSpec,
  disruptionBudgetStatus,
} from './kinds/disruptionbudget/spec.ts'
import { type HoldSpec, type HoldStatus, holdSpec, holdStatus } from './kinds/hold/spec.ts'
import {
  type InventorySpec,
  type InventoryStatus,
  inventorySpec,
  inventoryStatus,
} from './kinds/inventory/spec.ts'
import { type ModuleSpec, type ModuleStatus, moduleSpec, moduleStatus } from './kinds/module/spec.ts'
import {
  type PipelineSpec,
  type PipelineStatus,
  pipelineSpec,
  pipelineStatus,
} from './kinds/pipeline/spec.ts'
import {
  type PromotionSpec,
  type PromotionStatus,
  promotionSpec,
  promotionStatus,
} from './kinds/promotion/spec.ts'
import {
  type ExternalAssemblageSpec,
  type RemoteAssemblageSpec,
  type RemoteAssemblageStatus,
  remoteAssemblageSpec,
  remoteAssemblageStatus,
} from './kinds/remoteassemblage/spec.ts'
import { MANAGED_BY_LABEL, ORPHANED_ANNOTATION } from './labels.ts'

interface LockstepObject<Spec, Status> extends KubeObject {
  readonly spec: Spec
  readonly status?: Status
}
/** Module and BootstrapModule differ in their kind and in what may deliver them, not in their fields. */
export type Module = LockstepObject<ModuleSpec, ModuleStatus>
export type RemoteAssemblage = LockstepObject<RemoteAssemblageSpec, RemoteAssemblageStatus>
/** Of somebody else, who has labelled it `lockstep.dev/managed-by`. */
export type ExternalAssemblage = LockstepObject<ExternalAssemblageSpec, RemoteAssemblageStatus>
export type Inventory = LockstepObject<InventorySpec, InventoryStatus>
export type Hold = LockstepObject<HoldSpec, HoldStatus>
export type Approval = LockstepObject<ApprovalSpec, ApprovalStatus>
export type DisruptionBudget = LockstepObject<DisruptionBudgetSpec, DisruptionBudgetStatus>
export type Pipeline = LockstepObject<PipelineSpec, PipelineStatus>
export type Promotion = LockstepObject<PromotionSpec, PromotionStatus>

export interface PrinterColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'date'
  readonly jsonPath: string
  readonly priority?: number
  /** In tables of ours: what the cell says where there is something at a path. A server knows columns of one path only. */
  readonly instead?: { readonly of: string; readonly text: string }
}

export interface OwnKind<T extends KubeObject = KubeObject> extends Kind<T> {
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly summary: string
  readonly spec: z.ZodType
  /** Absent: it has none. */
  readonly status?: z.ZodType
  readonly columns: readonly PrinterColumn[]
  /** On the whole object. */
  readonly rules?: readonly { readonly rule: string; readonly message: string; readonly fieldPath?: string }[]
  /** It has a source, which can be looked at again. */
  readonly sourced?: boolean
  /** Written by controllers only: people read it. */
  readonly internal?: boolean
  /** Of its definition. */
  readonly labels?: Readonly<Record<string, string>>
}

const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }
const status: PrinterColumn = {
  name: 'Status',
  type: 'string',
  jsonPath: ".status.conditions[?(@.type=='Ready')].message",
}

const orphanedSince = `.metadata.annotations.${ORPHANED_ANNOTATION.replaceAll('.', '\\.')}`

/** What a condition says, in one word. */
const stateBy = (condition: string): PrinterColumn => ({
  name: 'State',
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=='${condition}')].reason`,
})

/** Its status says whether it is ready: it can be waited for. */
export const isReadied = (kind: OwnKind): boolean => kind.columns.includes(status)

const moduleRules = [
  {
    rule: '!has(self.spec.dependsOn) || !self.spec.dependsOn.exists(e, has(e.module) && e.module.kind == self.kind && e.module.name == self.metadata.name)',
    message: 'a module cannot wait for itself; remove this edge',
    fieldPath: '.spec.dependsOn',
  },
]

const moduleColumns: readonly PrinterColumn[] = [
  { name: 'Release', type: 'string', jsonPath: '.status.release' },
  { name: 'Source', type: 'string', jsonPath: '.status.sourceRevision' },
  { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
  { name: 'Updated', type: 'string', jsonPath: '.status.updated' },
  status,
  age,
]

function own<T extends KubeObject>(k: Omit<OwnKind, 'group' | 'version' | 'namespaced' | 'of'>): OwnKind<T> {
  return { ...k, ...defineKind<T>({ ...k, group: GROUP, version: VERSION, namespaced: true }) } as OwnKind<T>
}

export const moduleKind = own<Module>({
  kind: 'Module',
  plural: 'modules',
  singular: 'module',
  shortNames: ['mod'],
  summary: 'A unit of configuration with one version, delivered to the clusters that it selects.',
  spec: moduleSpec,
  status: moduleStatus,
  sourced: true,
  columns: moduleColumns,
  rules: moduleRules,
})

export const bootstrapModuleKind = own<Module>({
  kind: 'BootstrapModule',
  plural: 'bootstrapmodules',
  singular: 'bootstrapmodule',
  shortNames: ['bmod'],
  summary: 'A module that is always applied from the hub: what a cluster needs before it can run an agent.',
  spec: moduleSpec,
  status: moduleStatus,
  sourced: true,
  columns: moduleColumns,
  rules: moduleRules,
})

export const remoteAssemblageKind = own<RemoteAssemblage>({
  kind: 'RemoteAssemblage',
  plural: 'remoteassemblages',
  singular: 'remoteassemblage',
  shortNames: ['rasm'],
  summary: 'Everything that the hub applies to one cluster.',
  spec: remoteAssemblageSpec,
  status: remoteAssemblageStatus,
  internal: true,
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.status.cluster' },
    { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
    // Empty where modules write it.
    {
      name: 'Managed By',
      type: 'string',
      jsonPath: `.metadata.labels.${MANAGED_BY_LABEL.replaceAll('.', '\\.')}`,
    },
    status,
    age,
  ],
})

export const inventoryKind = own<Inventory>({
  kind: 'Inventory',
  plural: 'inventories',
  singular: 'inventory',
  shortNames: ['inv'],
  summary: 'What one module may deliver to one cluster, and what it has delivered.',
  spec: inventorySpec,
  status: inventoryStatus,
  internal: true,
  columns: [
    { name: 'Cluster', type: 'string', jsonPath: '.spec.clusterRef.name' },
    {
      name: 'State',
      type: 'string',
      jsonPath: '.status.state',
      // What it was when its cluster went says nothing any more.
      instead: { of: orphanedSince, text: 'Orphaned' },
    },
    { name: 'Ready', type: 'string', jsonPath: '.status.ready' },
    { name: 'Release', type: 'string', jsonPath: '.spec.admitted.release' },
    // Empty while its cluster is there.
    { name: 'Orphaned', type: 'string', jsonPath: orphanedSince },
    status,
    age,
  ],
})

export const holdKind = own<Hold>({
  kind: 'Hold',
  plural: 'holds',
  singular: 'hold',
  shortNames: ['hd'],
  summary: 'A pause of a module, everywhere or on some clusters; or a pin of some at a revision.',
  spec: holdSpec,
  status: holdStatus,
  columns: [
    { name: 'Target', type: 'string', jsonPath: '.spec.targetRef.name' },
    { name: 'Action', type: 'string', jsonPath: '.spec.action' },
    { name: 'Scope', type: 'string', jsonPath: '.spec.scope' },
    { name: 'Revision', type: 'string', jsonPath: '.spec.revision' },
    { name: 'Until', type: 'string', jsonPath: '.spec.until' },
    stateBy(HOLD_ACTIVE),
    { name: 'Units', type: 'integer', jsonPath: '.status.units' },
    { name: 'Reason', type: 'string', jsonPath: '.spec.reason' },
    age,
  ],
})

export const approvalKind = own<Approval>({
  kind: 'Approval',
  plural: 'approvals',
  singular: 'approval',
  shortNames: ['appr'],
  summary: 'The consent of a person to one stage of one revision.',
  spec: approvalSpec,
  status: approvalStatus,
  columns: [
    { name: 'Target', type: 'string', jsonPath: '.spec.targetRef.name' },
    { name: 'Stage', type: 'string', jsonPath: '.spec.stage' },
    { name: 'Point', type: 'string', jsonPath: '.spec.point' },
    { name: 'Revision', type: 'string', jsonPath: '.spec.revisionHash' },
    { name: 'By', type: 'string', jsonPath: '.spec.approvedBy' },
    stateBy(APPROVAL_VALID),
    age,
  ],
})

export const disruptionBudgetKind = own<DisruptionBudget>({
  kind: 'DisruptionBudget',
  plural: 'disruptionbudgets',
  singular: 'disruptionbudget',
  shortNames: ['dbud'],
  summary: 'How many clusters of a selection may be disrupted at once, over all modules of the namespace.',
  spec: disruptionBudgetSpec,
  status: disruptionBudgetStatus,
  columns: [
    { name: 'Max Unavailable', type: 'string', jsonPath: '.spec.maxUnavailable' },
    { name: 'Min Available', type: 'string', jsonPath: '.spec.minAvailable' },
    { name: 'Clusters', type: 'integer', jsonPath: '.status.clusters' },
    { name: 'Use', type: 'string', jsonPath: '.status.use' },
    status,
    age,
  ],
})

export const pipelineKind = own<Pipeline>({
  kind: 'Pipeline',
  plural: 'pipelines',
  singular: 'pipeline',
  shortNames: ['pl'],
  summary: 'Environments, and how a revision that is settled in one of them gets into the next.',
  spec: pipelineSpec,
  status: pipelineStatus,
  columns: [
    { name: 'Identity', type: 'string', jsonPath: '.spec.identity', priority: 1 },
    { name: 'App', type: 'string', jsonPath: '.spec.appRef.name' },
    status,
    age,
  ],
})

export const promotionKind = own<Promotion>({
  kind: 'Promotion',
  plural: 'promotions',
  singular: 'promotion',
  shortNames: ['promo'],
  summary: 'One move of one revision into one environment: written before its effect, kept after its end.',
  spec: promotionSpec,
  status: promotionStatus,
  internal: true,
  columns: [
    { name: 'Environment', type: 'string', jsonPath: '.spec.environment' },
    { name: 'Revision', type: 'string', jsonPath: '.spec.revision' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Pull Request', type: 'string', jsonPath: '.status.result.pullRequest.url' },
    status,
    age,
  ],
})

export const ownKinds: readonly OwnKind[] = [
  moduleKind,
  bootstrapModuleKind,
  holdKind,
  approvalKind,
  disruptionBudgetKind,
  pipelineKind,
  promotionKind,
  remoteAssemblageKind,
  inventoryKind,
]

export const setKind: OwnKind<ClusterResourceSet> = {
  ...resourceSetKinds[0]!,
  singular: 'clusterresourceset',
  shortNames: ['crs'],
  summary: 'ConfigMaps and Secrets with manifests, delivered to the clusters of Cluster API that it selects.',
  spec: resourceSetSpec,
  status: resourceSetStatus,
  columns: [
    { name: 'Strategy', type: 'string', jsonPath: '.spec.strategy' },
    {
      name: 'Applied',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='ResourcesApplied')].status",
    },
    status,
    age,
  ],
  labels: { [MOVE_LABEL]: '' },
}

export const setBindingKind: OwnKind<ClusterResourceSetBinding> = {
  ...resourceSetBindingKinds[0]!,
  singular: 'clusterresourcesetbinding',
  shortNames: ['crsb'],
  summary: 'What ClusterResourceSets have applied to one cluster.',
  spec: resourceSetBindingSpec,
  columns: [{ name: 'Cluster', type: 'string', jsonPath: '.spec.clusterName' }, age],
  labels: { [MOVE_LABEL]: '' },
}

/** Kinds of Cluster API that we serve; defined by us only where it is not. */
export const sharedKinds: readonly OwnKind[] = [setKind, setBindingKind] as unknown as readonly OwnKind[]
