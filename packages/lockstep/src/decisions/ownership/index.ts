// The face of this folder: what others import.
export { claimKeysOf, keysOfObject } from './claimkeys.ts'
export {
  type ClaimedObject,
  type ClaimFate,
  type ClaimingUnit,
  type ClaimView,
  type ClaimWait,
  fateOf,
  type HolderDecision,
  holderDecision,
  insists,
  keeps,
  listsGiver,
  receiverOf,
  uses,
} from './claims.ts'
export { type ClaimBinding, type ClaimMatch, ClaimSet, type Container } from './claimset.ts'
export {
  claimTextsOf,
  type ObjectClaim,
  packClaims,
  parseClaim,
  type StoredClaims,
  unpackClaims,
} from './objectclaim.ts'
