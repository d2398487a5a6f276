// The face of this folder: what others import.
export type { ControllerPods } from './controllermanifests.ts'
export {
  accountManifest,
  bindingManifest,
  CONTROLLER_ROLE,
  controllerBinding,
  deployerAccount,
  type Installation,
  installManifests,
  managedNamespace,
  roleManifest,
} from './installmanifests.ts'
