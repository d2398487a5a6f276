// The face of this folder: what others import.
export { asAdministrator, readRegistration, sameClusterUid, withContext } from './administrator.ts'
export { applyObjects, objectText } from './applyobjects.ts'
export {
  deliveryObjects,
  IDENTITY_RULES,
  type Registration,
  type RegistrationObject,
  registrationObjects,
} from './registration.ts'
