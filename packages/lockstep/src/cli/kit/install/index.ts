// The face of this folder: what others import.
export {
  accountManifest,
  bindingManifest,
  deployerAccount,
  type Installation,
  installManifests,
  managedNamespace,
  roleManifest,
} from './installmanifests.ts'
