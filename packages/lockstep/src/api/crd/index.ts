// The face of this folder: what others import.
export { actAsPolicy } from './actaspolicy.ts'
export { approvalPolicy } from './approvalpolicy.ts'
export { crdOf, isOurDefinition, OUR_SELECTOR, ownCrds, sharedCrds } from './crd.ts'
export { deletionPolicy, isProtected } from './deletionpolicy.ts'
export { orphanPolicy } from './orphanpolicy.ts'
export { recordsPolicy } from './recordspolicy.ts'
