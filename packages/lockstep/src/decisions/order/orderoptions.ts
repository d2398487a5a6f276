/** What the annotations of an object say of its own delivery, from all dialects in one record. */
import type { HealthText } from '@lockstep/health/health'

/** How an object is written. */
export type WriteMode =
  /** Own what the manifest says, remove what it no longer says. */
  | 'Override'
  /** The same, but taking over removes nothing that the manifest lacks. */
  | 'Merge'
  /** Create only. */
  | 'IfNotPresent'
  /** A PUT of the whole on the version that was read. */
  | 'Replace'
  /** Never written; that it exists and is healthy counts. */
  | 'Observe'
  /** No read, no write, no health, never pruned. No edge of the graph touches it. */
  | 'Ignore'

/** An object as an annotation names it. Absent version: any. Absent namespace: that of who names it, or none. */
export interface AnnotationTarget {
  readonly group: string
  readonly version?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** A value that is copied from another object just before this one is applied (cli-utils `apply-time-mutation`). */
export interface Mutation {
  readonly source: AnnotationTarget
  /** JSONPath in the source, such as `$.status.podIP`. */
  readonly sourcePath: string
  /** JSONPath in this object. */
  readonly targetPath: string
  /** The part of the target's text that is replaced; absent: all of it. */
  readonly token?: string
}

/** Order between a change of this object and changes of members of a group (kapp `change-rule`). */
export interface ChangeRule {
  readonly action: 'upsert' | 'delete'
  readonly order: 'before' | 'after'
  readonly other: 'upserting' | 'deleting'
  readonly group: string
}

/** A rule of kapp; those of a binding may be left out where they would close a cycle, the greatest weight first. */
export interface WeighedRule extends ChangeRule {
  readonly weight: number
  readonly ignoreIfCyclical: boolean
}

export interface OrderOptions {
  readonly mode: WriteMode
  /** False: let go instead of deleted, when the bundle no longer has it. */
  readonly prune: boolean
  /** False: let go instead of deleted, when the unit leaves. */
  readonly delete: boolean
  /** Which of the two a person does. */
  readonly confirm: readonly ('Prune' | 'Delete')[]
  /** Delete and create where a field that has changed cannot change, whatever the module says. */
  readonly replaceImmutable: boolean
  /** Taken over if it exists, whatever the module says. */
  readonly adopt: boolean
  /** Fields that the schema does not know: refused, or said. */
  readonly validate: 'Strict' | 'Warn'
  /** Edges from it ask for no health; the edges of the graph say so already. */
  readonly disableWait: boolean
  /** A Pod that is not always restarted is judged like one that is; read from the live object, in profile Argo only. */
  readonly ignoreRestartPolicy: boolean
  /** The annotation whose value becomes the digest of the content, which is made with an empty one. */
  readonly nonce: string | undefined
  readonly mutations: readonly Mutation[]
  /** In place of the rules of its kind. */
  readonly health: HealthText | undefined
  /** Groups that it is a member of, and rules that order applies among deletions: edges say all other rules. */
  readonly changeGroups: readonly string[]
  readonly changeRules: readonly WeighedRule[]
}

/** Of an object that says nothing. */
export const DEFAULT_ORDER_OPTIONS: OrderOptions = Object.freeze({
  mode: 'Override',
  prune: true,
  delete: true,
  confirm: [],
  replaceImmutable: false,
  adopt: false,
  validate: 'Strict',
  disableWait: false,
  ignoreRestartPolicy: false,
  nonce: undefined,
  mutations: [],
  health: undefined,
  changeGroups: [],
  changeRules: [],
})
