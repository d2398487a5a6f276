// The face of this folder: what others import.
export {
  accountManifest,
  bindingManifest,
  CONTROLLER_ROLE,
  controllerBinding,
  deployerAccount,
  type Installation,
  installManifests,
  managedNamespace,
  policyManifests,
  roleManifest,
} from './installmanifests.ts'
