// The face of this folder: what others import.
export {
  deployerAccount,
  type Installation,
  installManifests,
  managedNamespace,
} from './installmanifests.ts'
