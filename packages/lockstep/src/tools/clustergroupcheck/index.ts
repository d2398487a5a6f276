// The face of this folder: what others import.
export { checkClusterGroup } from './checkclustergroup.ts'
export { clusterGroupRuleIds, clusterGroupRules } from './clustergrouprules.ts'
export type { GroupFinding } from './groupcheckrule.ts'
