// The face of this folder: what others import.
export { type Claim, claimsOf, takeClaim, type UnitOnCluster } from './claim.ts'
export { marksOf, ownedBlocker } from './foreignunit.ts'
