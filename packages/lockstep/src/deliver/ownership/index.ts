// The face of this folder: what others import.
export { type Claim, claimsOf, type ExpectedHandovers, takeClaim, type UnitOnCluster } from './claim.ts'
export {
  isOfForeignUnit,
  marksOf,
  noOtherUnits,
  type OtherUnits,
  type OwnerMarks,
  ownedBlocker,
} from './foreignunit.ts'
export { type MarkedObject, markedObjects } from './markedobjects.ts'
export { marksPatch } from './ownershippatch.ts'
