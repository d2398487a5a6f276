// The face of this folder: what others import.
export {
  ASSEMBLAGE_CONTROLLER,
  AssemblageReconciler,
  isIdentityRequested,
  noteCluster,
} from './assemblagereconciler.ts'
