/** What every oracle is given. */
import type { Bundles } from './bundles.ts'
import type { ClusterHistory } from './clusterhistory.ts'
import type { RecentChanges } from './recentchanges.ts'

export type InvariantId =
  | 'I1'
  | 'I2'
  | 'I3'
  | 'I4'
  | 'I5'
  | 'I6'
  | 'I7'
  | 'I8'
  | 'I11'
  | 'I12'
  | 'I14'
  | 'I17'

export const invariantNames: Readonly<Record<InvariantId, string>> = {
  I1: 'Gate: nothing is admitted before its dependencies were seen ready',
  I2: 'Follow: every write belongs to what is admitted',
  I3: 'Budget: no start exceeds a limit',
  I4: 'Order: no object before what it needs',
  I5: 'Ownership: nothing is changed that is not ours',
  I6: 'Intent first: no create without a record of it',
  I7: 'Absence is not intent: no delete without a true cause',
  I8: 'Reverse: dependants leave first',
  I11: 'History: a revision never changes, nothing in use is removed',
  I12: 'Quiet: no write once everything is as it should be',
  I14: 'Blame: what waits says why',
  I17: 'Hooks: each succeeds at most once for what is delivered',
}

export interface InvariantViolation {
  readonly invariant: InvariantId
  readonly message: string
  /** Number of the commit. */
  readonly at: number
}

export interface OracleContext {
  readonly history: ClusterHistory
  readonly lately: RecentChanges
  readonly bundles: Bundles
  /** The invariant was put to the test once more. */
  tested(id: InvariantId, times?: number): void
  broken(id: InvariantId, message: string): void
}
