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
  | 'I34'
  | 'I35'

export const invariantNames: Readonly<Record<InvariantId, string>> = {
  I1: 'Gate: no deployment before its dependencies were ready',
  I2: 'Follow: each write belongs to the deployed revision',
  I3: 'Budget: no start exceeds a limit',
  I4: 'Order: no object before its dependencies',
  I5: 'Ownership: no change of external objects',
  I6: 'Intent first: no create without a recorded intent',
  I7: 'Absence is not intent: no delete without a true cause',
  I8: 'Reverse: dependents are removed first',
  I11: 'History: revisions never change, and no bundle in use is deleted',
  I12: 'Quiet: no write in a steady state',
  I14: 'Blame: each waiting unit reports a reason',
  I17: 'Hooks: each succeeds at most once a revision',
  I34: 'Claims: no deletion of an object of another Module',
  I35: 'References: each blocker names what exists',
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
