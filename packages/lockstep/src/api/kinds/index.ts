// The face of this folder: what others import.
export { type Approval, approvalKind } from './approval/columns.ts'
export {
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  resourceSetBindingKinds,
  resourceSetKinds,
  setBindingKind,
  setKind,
} from './clusterresourceset/columns.ts'
export {
  ADDONS_GROUP,
  ADDONS_VERSIONS,
  type BindingEntry,
  type BindingResource,
  CAPI_LEASE,
  CAPI_NAMESPACE,
  CAPI_PAUSED,
  DELETE_FOR_MOVE,
  PAUSED_BY_US,
  type ResourceSetSourceRef,
  SET,
  SET_FINALIZER,
  SET_SECRET_TYPE,
  SET_STRATEGIES,
  type SetMode,
} from './clusterresourceset/spec.ts'
export type { ResourceSetStatus, V1Beta1Condition } from './clusterresourceset/status.ts'
export { type DisruptionBudget, disruptionBudgetKind } from './disruptionbudget/columns.ts'
export type { DisruptionBudgetStatus } from './disruptionbudget/status.ts'
export { type Hold, holdKind } from './hold/columns.ts'
export type { HoldSpec } from './hold/spec.ts'
export type { Assignment } from './inventory/assignment.ts'
export { type Inventory, inventoryKind } from './inventory/columns.ts'
export type {
  Admitted,
  HookRecord,
  InventoryObject,
  InventorySpec,
  SetRecord,
  SetSourceRecord,
  WriteIntent,
} from './inventory/spec.ts'
export type { InventoryStatus } from './inventory/status.ts'
export { bootstrapModuleKind, type Module, moduleKind } from './module/columns.ts'
export type { ModuleBinding } from './module/modulebindings.ts'
export type { ClusterGroupRender, HelmRender, KustomizeRender } from './module/renderspec.ts'
export type { RolloutStatus } from './module/rolloutstatus.ts'
export type { GitSource, HelmSource } from './module/sourcespec.ts'
export {
  applySettings,
  type DependsOnEdge,
  edges,
  healthSettings,
  type ModuleSpec,
  type ModuleSpecGiven,
  moduleSpec,
} from './module/spec.ts'
export { type ModuleStatus, moduleStatus } from './module/status.ts'
export { isReadied, type OwnKind } from './ownkind.ts'
export { type Pipeline, pipelineKind } from './pipeline/columns.ts'
export { type Environment, type PipelineSpec, pipelineSpec } from './pipeline/spec.ts'
export { type EnvironmentStatus, environmentStatus, type PipelineStatus } from './pipeline/status.ts'
export type { PrinterColumn } from './printercolumn.ts'
export { type Promotion, promotionKind } from './promotion/columns.ts'
export { DEFAULT_PATHS, type PromotionEdit } from './promotion/edits.ts'
export type { PromotionCheck, PromotionSettings, RetryPolicy } from './promotion/promotionsettings.ts'
export {
  PROMOTION_PHASES,
  type PromotionIntent,
  type PromotionPhase,
  type PromotionResult,
  type PromotionStatus,
} from './promotion/status.ts'
export {
  type ExternalAssemblage,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from './remoteassemblage/columns.ts'
export type { ExternalAssignment } from './remoteassemblage/spec.ts'
export type { RemoteAssemblageStatus, SyncStatus } from './remoteassemblage/status.ts'
export { blocker, condition, conditions, dnsName } from './schemarules.ts'
