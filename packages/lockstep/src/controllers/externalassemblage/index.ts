// The face of this folder: what others import.
export {
  confirmUnassigned,
  EXTERNAL_CONTROLLER,
  ExternalReconciler,
  externalOwnerBlocker,
  externalOwnerLabel,
} from './externalreconciler.ts'
export { besideForeign, foreignLooksAt, foreignOf, foreignUnits, neededByForeign } from './foreignroutes.ts'
