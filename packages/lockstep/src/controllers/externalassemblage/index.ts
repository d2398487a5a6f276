// The face of this folder: what others import.
export { EXTERNAL_CONTROLLER, ExternalReconciler } from './externalreconciler.ts'
export { besideForeign, foreignLooksAt, foreignOf, foreignUnits, neededByForeign } from './foreignroutes.ts'
