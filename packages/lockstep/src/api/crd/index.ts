// The face of this folder: what others import.
export { approvalPolicy } from './approvalpolicy.ts'
export { crdOf, isOurDefinition, ownCrds, sharedCrds } from './crd.ts'
export { orphanPolicy } from './orphanpolicy.ts'
