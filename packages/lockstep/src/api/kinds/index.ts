// The face of this folder: what others import.
export {
  ADDONS_GROUP,
  ADDONS_VERSIONS,
  type BindingEntry,
  type BindingResource,
  CAPI_LEASE,
  CAPI_NAMESPACE,
  CAPI_PAUSED,
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  DELETE_FOR_MOVE,
  PAUSED_BY_US,
  type ResourceSetSourceRef,
  type ResourceSetStatus,
  resourceSetBindingKinds,
  resourceSetKinds,
  SET,
  SET_FINALIZER,
  SET_SECRET_TYPE,
  SET_STRATEGIES,
  type SetMode,
  type V1Beta1Condition,
} from './clusterresourceset/spec.ts'
export type { DisruptionBudgetStatus } from './disruptionbudget/spec.ts'
export type { HoldSpec } from './hold/spec.ts'
export type {
  Admitted,
  HookRecord,
  InventoryObject,
  InventorySpec,
  InventoryStatus,
  SetRecord,
  SetSourceRecord,
  WriteIntent,
} from './inventory/spec.ts'
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
  type ModuleStatus,
  moduleSpec,
  moduleStatus,
} from './module/spec.ts'
export {
  type Environment,
  type EnvironmentStatus,
  environmentStatus,
  type PipelineSpec,
  type PipelineStatus,
  pipelineSpec,
} from './pipeline/spec.ts'
export { DEFAULT_PATHS, type PromotionEdit } from './promotion/edits.ts'
export type { PromotionCheck, PromotionSettings, RetryPolicy } from './promotion/promotionsettings.ts'
export {
  PROMOTION_PHASES,
  type PromotionIntent,
  type PromotionPhase,
  type PromotionResult,
  type PromotionStatus,
} from './promotion/spec.ts'
export type {
  Assignment,
  ExternalAssignment,
  RemoteAssemblageStatus,
  SyncStatus,
} from './remoteassemblage/spec.ts'
export { blocker, condition, conditions, dnsName } from './schemarules.ts'
