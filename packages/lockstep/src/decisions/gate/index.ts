// The face of this folder: what others import.
export { type GateResult, gate, targetGateDigest } from './gate.ts'
export { evaluateObjectEdge } from './objectedge.ts'
export {
  clusterOf,
  type DependentObservation,
  type EdgeEvidence,
  type Exemption,
  type ObjectObservation,
  type Observation,
  type ObservedModule,
  type ObservedSilence,
  type PublishedRevision,
  type UnitObservation,
} from './observation.ts'
export { uncomparedReleases } from './releases.ts'
export { isUnitRollback, type UnitTarget as GatedUnit } from './rollback.ts'
