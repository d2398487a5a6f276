// The face of this folder: what others import.

export type { UnitClaimsDeps } from '../unit/index.ts'
export { expectedHandovers } from './expectedhandovers.ts'
export { type ClusterReads, FleetAnswers } from './fleetanswers.ts'
export type { FleetObjects } from './fleetcopy.ts'
export { type FleetPlan, type ModulePlan, type PlannedStart, planFleet } from './planfleet.ts'
export { type HandoverOutcome, type PlannedHandover, plannedHandovers } from './plannedhandovers.ts'
export {
  listedClaims,
  type PreviewedObject,
  previewRemoval,
  type RemovalFate,
} from './previewremoval.ts'
