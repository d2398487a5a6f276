/** What a rule finds in values. */
import type { YamlPath } from '@lockstep/kube/object'
import type { ClusterGroupEvaluation, FilePosition } from '../../decisions/clustergroup/index.ts'
import type { ClusterGroupRuleId, GroupFindingLevel } from './clustergrouprules.ts'
import type { GroupMember } from './groupmembers.ts'

export interface GroupFinding {
  readonly rule: ClusterGroupRuleId
  readonly level: GroupFindingLevel
  readonly place: FilePosition
  /** `clusterGroup.subscriptions.odf`. */
  readonly path: string
  readonly message: string
  readonly fix: string
}

/** The same before anybody has looked where it stands. */
export interface UnplacedFinding {
  readonly rule: ClusterGroupRuleId
  readonly path: YamlPath
  readonly message: string
  /** Absent: those of the rule. */
  readonly level?: GroupFindingLevel
  readonly fix?: string
}

/** What is checked. */
export interface CheckedGroup extends ClusterGroupEvaluation {
  readonly members: readonly GroupMember[]
}

/** A file of rules: looks at everything, once. */
export type GroupCheckRule = (c: CheckedGroup) => readonly UnplacedFinding[]
