// The face of this folder: what others import.
export {
  ASSEMBLAGE_CONTROLLER,
  AssemblageReconciler,
  assignmentStatus,
  isIdentityRequested,
  noteCluster,
} from './assemblagereconciler.ts'
