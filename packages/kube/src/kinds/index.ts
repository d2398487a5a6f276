// The face of this folder: what others import.
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
  type Secret,
  secretKind,
  selfSubjectReviewKind,
} from './types.ts'
