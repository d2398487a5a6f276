// The face of this folder: what others import.
export { type ClusterRights, rightsOnCluster } from './clusterrights.ts'
export { drawClusterRights, drawRights } from './drawrights.ts'
export { grantManifests, type ReviewedRights } from './grantmanifests.ts'
export { lackingRights } from './heldrights.ts'
export { fileModuleRights, hubModuleRights, type ModuleRights, servedBy } from './modulerights.ts'
export { printGrants } from './printgrants.ts'
export { isGranted, reviewRights } from './reviewrights.ts'
