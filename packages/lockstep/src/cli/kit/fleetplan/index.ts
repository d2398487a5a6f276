// The face of this folder: what others import.
export { handoverFacts, handoverLines, handoverShape } from './handoverlines.ts'
export { type PlannedFleet, planOfFleet } from './plannedfleet.ts'
export type { PlannedModule } from './plannedmodule.ts'
