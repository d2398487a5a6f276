// The face of this folder: what others import.
export { type FleetPlan, type ModulePlan, type PlannedStart, planFleet } from './planfleet.ts'
