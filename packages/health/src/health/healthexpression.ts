/** Health that people put into CEL. */

/** Expressions of one entry for the objects that it selects. */
export interface HealthExpression {
  /** Its group counts, its version does not. */
  readonly apiVersion: string
  /** Absent: all kinds of the group that have no entry of their own. */
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly namespace?: string | undefined
  /** All of them. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Evaluated in this order. */
  readonly inProgress?: string | undefined
  readonly failed?: string | undefined
  readonly current: string
  /** How many objects have to be selected, where they are not of the bundle. */
  readonly minCount: number
  /** Seconds that the object must stay ready. */
  readonly settleSeconds: number
}

/** Health of one object in CEL over `object`, asked in this order. */
export interface HealthText {
  readonly inProgress?: string
  readonly failed?: string
  readonly current: string
  /** If true, waiting objects continue before this one is healthy (kapp `unblockChanges`). */
  readonly unblocks?: string
}
