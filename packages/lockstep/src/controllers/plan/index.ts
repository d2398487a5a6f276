// The face of this folder: what others import.
export { type ClusterReads, FleetAnswers } from './fleetanswers.ts'
export type { FleetObjects } from './fleetcopy.ts'
export { type FleetPlan, type ModulePlan, type PlannedStart, planFleet } from './planfleet.ts'
export {
  listedClaims,
  type PreviewedObject,
  type PreviewedUnit,
  previewRemoval,
  type RemovalFate,
} from './previewremoval.ts'
