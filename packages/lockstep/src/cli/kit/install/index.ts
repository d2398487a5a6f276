// The face of this folder: what others import.
export {
  controllerRights,
  deployerAccount,
  type Installation,
  installManifests,
  managedNamespace,
} from './installmanifests.ts'
