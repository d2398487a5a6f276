/** Stops of starts that other units end. */
import type { FullBudget } from './availablebudget.ts'

/** Something that starts use up. */
export interface SharedLimit {
  readonly name: string
  /** Undefined: of the whole rollout. */
  readonly stage?: string
  used: number
  readonly max: number
}

/** Keeps a candidate from its start. A window, a Hold or an Approval is not one: no unit ends it. */
export type StartStop =
  | { readonly type: 'Stage'; readonly after: string }
  | { readonly type: 'Limit'; readonly limit: SharedLimit }
  | { readonly type: 'Budgets'; readonly full: readonly FullBudget[] }
