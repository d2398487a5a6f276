// The face of this folder: what others import.
export { claimsCluster } from './claimingunits.ts'
export { ClaimReader } from './claimreader.ts'
export {
  type ClaimAsker,
  type ClaimParts,
  type ClusterClaims,
  type ClusterClaimsDeps,
  openClusterClaims,
} from './clusterclaims.ts'
export { type Contender, contenderBlockers, contendersOf } from './contenders.ts'
