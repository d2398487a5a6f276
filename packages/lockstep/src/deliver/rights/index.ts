// The face of this folder: what others import.
export { clusterRights, type NeededRight, neededRights } from './neededrights.ts'
export { type ResourceRights, type RoleRule, resourceRightsOf, roleRules } from './rolerules.ts'
