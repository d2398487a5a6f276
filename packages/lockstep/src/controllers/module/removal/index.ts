// The face of this folder: what others import.
export { RemovalGuard, type RemovalVerdict } from './removalguard.ts'
export { isReselected, nextAllowance, removalOf, removalPolicy } from './removalpolicy.ts'
export { type RemovalProgress, removalProgressOf, removalText } from './removalprogress.ts'
export { type MembershipDeps, removalsAfter, retainedMembers } from './retainedmembers.ts'
export { CONFIRMED_AGAIN_MS } from './terminations.ts'
