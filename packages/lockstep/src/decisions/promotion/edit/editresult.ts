import type { JsonValue } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { PromotionEdit } from '../../../api/kinds/index.ts'
import type { FactsOf, RefsOf } from '../../../api/reasons/index.ts'
import { externalRef } from '../promotionref.ts'
import type { RepoFile } from '../repofile.ts'

export interface EditInput {
  readonly edits: readonly PromotionEdit[]
  readonly files: readonly RepoFile[]
  /** What stands in the comments of this environment: `<namespace>:<pipeline>:<environment>`. */
  readonly marker: string
  readonly revision: string
  /** What `valueExpr` knows besides: `identity`, `environment`, `epoch`, and whatever else there is. */
  readonly facts: Readonly<Record<string, JsonValue>>
  /** The repository and its branch, for messages: `o/r@main`. */
  readonly where: string
}

/** A value of a file that is, or now becomes, what is promoted. */
export interface EditedValue {
  readonly file: string
  /** From 1; columns in UTF-16 units. */
  readonly line: number
  readonly column: number
  /**
   * As it is written, with its quotes; equal where nothing has to be changed. Empty before what is added; `…` for what a
   * Secret had.
   */
  readonly before: string
  readonly after: string
}

export interface EditResult {
  /** In the order of files and of their lines; also those that have the value already. */
  readonly places: readonly EditedValue[]
  /** Files whose bytes differ, whole. */
  readonly changed: ReadonlyMap<string, Uint8Array>
}

/** Why nothing is changed at all. */
export type EditRefusal = NewBlocker & {
  readonly reason: EditReason | 'InvalidExpression'
}

export type EditReason = 'NothingToEdit' | 'PromotionTargetAmbiguous' | 'EditRefused'

/** A refusal about the repository. */
export const refusal = <R extends EditReason>(reason: R, where: string, facts: FactsOf<R>): EditRefusal => {
  const on = [externalRef(where)] as unknown as RefsOf<R>
  return Object.assign(blocked(reason, on, facts), { reason })
}
