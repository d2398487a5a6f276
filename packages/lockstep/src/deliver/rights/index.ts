// The face of this folder: what others import.
export { neededRights } from './neededrights.ts'
export { type ResourceRights, resourceRightsOf, roleRules } from './rolerules.ts'
