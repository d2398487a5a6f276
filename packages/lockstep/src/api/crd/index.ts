// The face of this folder: what others import.
export { admissionPolicies, admissionPolicyNames } from './admissionpolicies.ts'
export { crdOf, definitionDigest, isOurDefinition, OUR_SELECTOR, ownCrds, sharedCrds } from './crd.ts'
export { isProtected } from './deletionpolicy.ts'
export {
  definitionName,
  definitionsProblem,
  type FoundDefinition,
  foundSchemaNumber,
  recordedSchemas,
  type SchemaRecord,
} from './schemanumber.ts'
