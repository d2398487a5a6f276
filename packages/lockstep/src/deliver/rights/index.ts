// The face of this folder: what others import.
export { deliveryRights } from './deliveryrights.ts'
export { neededRights } from './neededrights.ts'
export { type ResourceRights, resourceRightsOf, roleRules } from './rolerules.ts'
