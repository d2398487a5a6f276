// The face of this folder: what others import.
export { checkFlux, type FluxCheck } from './checkflux.ts'
export type { FluxFinding, RelatedPosition } from './fluxcheckrule.ts'
export { fluxRuleIds, fluxRuleTable } from './fluxruletable.ts'
