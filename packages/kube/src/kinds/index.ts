// The face of this folder: what others import.
export { builtInScope } from './builtinscope.ts'
export {
  apiServiceKind,
  type ConfigMap,
  type ControllerRevision,
  configMapKind,
  controllerRevisionKind,
  crdKind,
  eventKind,
  type KubernetesEvent,
  type Lease,
  leaseKind,
  namespaceKind,
  podKind,
  roleBindingKind,
  type Secret,
  type SelfSubjectAccessReview,
  secretKind,
  selfSubjectAccessReviewKind,
  selfSubjectReviewKind,
  serviceAccountKind,
} from './types.ts'
