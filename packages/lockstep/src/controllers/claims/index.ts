// The face of this folder: what others import.
export { ClaimReader } from './claimreader.ts'
export { type ClaimParts, type ClusterClaims, openClusterClaims } from './clusterclaims.ts'
export { type Contender, contenderBlockers, contendersOf } from './contenders.ts'
