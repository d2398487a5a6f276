// The face of this folder: what others import.
export { fluxDefinitions } from './fluxdefinitions.ts'
export { FLUX } from './fluxoptions.ts'
export { type PlayOptions, play, settle } from './fluxplay.ts'
export { AFTER, BEFORE, type FluxScenario, type ScenarioUnit, tagged } from './fluxscenario.ts'
export { type FluxViolation, type Judgement, judge, type SeenWrite, type WatchedUnit } from './judgement.ts'
export { startFlux } from './startflux.ts'
