import type { LedgerEntry, Target, UnitClass, UnitView } from './types.ts'

/** Clusters that are in no total: nothing is expected of them, and nothing is taken from them. */
const GONE: ReadonlySet<string> = new Set(['Absent', 'Deleting', 'IdentityChanged', 'Provisioning'])

export interface Clock {
  readonly runMs: number
  readonly readyMs: number
}

/** A unit with its class and what the ledger holds for it. */
export interface Classified {
  readonly unit: UnitView
  readonly class: UnitClass
  readonly entry: LedgerEntry | undefined
  readonly clock: Clock
}

/** The class of one unit: the first row that applies. */
export function classify(
  u: UnitView,
  target: Target | undefined,
  entry: LedgerEntry | undefined,
  minReadyMs: number,
  clock: Clock,
): UnitClass {
  if (GONE.has(u.clusterState)) return 'Gone'
  if (!u.selected || u.leaving) return u.present && u.clusterState === 'Connected' ? 'Leaving' : 'Gone'
  if (u.clusterState === 'Paused') return 'Paused'
  if (u.clusterState !== 'Connected') return 'Unreachable'
  if (!target) return u.present ? 'Done' : 'Blocked'
  const atTarget = u.recordRevision === target.revision && u.admittedRevision === target.revision
  const isDone = atTarget && u.verified && u.healthy
  if (isDone && (!entry || clock.readyMs >= minReadyMs)) return 'Done'
  if (entry?.failed !== undefined && entry.revision === target.revision) return 'Failed'
  // Others have to go before what it waits for: its slot is theirs.
  if (u.ahead) return 'Blocked'
  if (entry && entry.kind !== 'Remove') return 'InFlight'
  if (atTarget && u.healthy) return u.gate.length > 0 ? 'Blocked' : 'Reverify'
  if (u.sameContent && u.healthy) return u.gate.length > 0 ? 'Blocked' : 'Reverify'
  if (u.admittedRevision !== undefined && !u.healthy) return 'Unhealthy'
  return u.gate.length > 0 ? 'Blocked' : 'Candidate'
}
