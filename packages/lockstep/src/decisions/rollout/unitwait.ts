/** Waits of single units that other units end: facts for the search for deadlocks. */
import type { NewBlocker } from '../../api/blocker.ts'
import type { FullBudget } from './budgets/availablebudget.ts'

/** Names of stages and limits are those of `RolloutWaits`. */
export type UnitStop =
  | { readonly type: 'Stage'; readonly after: string }
  | { readonly type: 'Limit'; readonly limit: string }
  | { readonly type: 'Budgets'; readonly full: readonly FullBudget[] }

export interface UnitWait {
  readonly cluster: string
  /** All of them must end: of dependencies, or of dependents of a removal. */
  readonly blockers: readonly NewBlocker[]
  /** Stage, limit or budgets that keep it from its start, where its dependencies do not. */
  readonly stop: UnitStop | undefined
  /** Deployed, and not verified before its waits end: until then it uses a place in limits and budgets. */
  readonly isHolding: boolean
}

/** A limit that is used up. */
export interface HeldLimit {
  /** `maxUnavailable`, or `maxUnavailable of stage prod`. */
  readonly name: string
  /** Clusters of the units that use it: one of them must end its wait. */
  readonly clusters: readonly string[]
}

export interface RolloutWaits {
  /** Units that wait, in the order of their stages. */
  readonly units: readonly UnitWait[]
  /** Clusters of the units that a stage waits for, by stage. */
  readonly stages: ReadonlyMap<string, readonly string[]>
  /** By name. Limits that a unit may leave without the end of a wait are not in it. */
  readonly limits: ReadonlyMap<string, HeldLimit>
}
