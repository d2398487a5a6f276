/** What a rule finds in values. */
import type { YamlPath } from '../../../../kube/src/object/index.ts'
import type { FilePlace } from '../flux/fluxmanifest.ts'
import type { Looked } from '../../decisions/clustergroup/render/renderclustergroup.ts'
import type { Member } from './groupmembers.ts'
import type { Level, RuleId } from './clustergrouprules.ts'

export interface GroupFinding {
  readonly rule: RuleId
  readonly level: Level
  readonly place: FilePlace
  /** `clusterGroup.subscriptions.odf`. */
  readonly path: string
  readonly message: string
  readonly fix: string
}

/** The same before anybody has looked where it stands. */
export interface Found {
  readonly rule: RuleId
  readonly path: YamlPath
  readonly message: string
  /** Absent: those of the rule. */
  readonly level?: Level
  readonly fix?: string
}

/** What is checked. */
export interface Checked extends Looked {
  readonly members: readonly Member[]
}

/** A file of rules: looks at everything, once. */
export type Look = (c: Checked) => readonly Found[]
