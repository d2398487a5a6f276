// The face of this folder: what others import.
export { claimKeysOf, keysOfObject } from './claimkeys.ts'
export {
  type ClaimedObject,
  type ClaimFate,
  type ClaimingUnit,
  type Claims,
  fateOf,
  type HolderDecision,
  holderDecision,
  insists,
  keeps,
  listsGiver,
} from './claims.ts'
export { ClaimSet } from './claimset.ts'
export {
  claimTextsOf,
  type ObjectClaim,
  parseClaim,
} from './objectclaim.ts'
