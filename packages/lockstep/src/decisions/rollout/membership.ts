/** Clusters that a module is on and does not select any more: told before anything goes, and held where they are too many. */
import { amountOf } from './budgets/amount.ts'
import type { Amount } from './policy.ts'
import type { ClusterState, InFlightEntry, UnitStart, UnitView } from './types.ts'

/** So few may leave whatever part of the clusters they are. */
const FEW = 4

/** So long those that have begun to leave count together with those that are to leave, in milliseconds. */
export const TOGETHER_MS = 600_000

/** A cluster that is gone does not leave: what is on it stays. */
const IS_THERE: ReadonlySet<ClusterState> = new Set(['Connected', 'Connecting', 'Paused', 'Unreachable'])

type MembershipUnit = Pick<UnitView, 'cluster' | 'clusterState' | 'selected' | 'present' | 'leaving'>

/** Removals that count together: labels mostly change one after the other. */
export interface Removals {
  /** When the first of them began. */
  readonly sinceMs: number
  /** Clusters that the module was on then. */
  readonly of: number
  /** So many have begun to leave. */
  readonly begun: number
  /** So many may, all together, as somebody has allowed. */
  readonly allowed?: number | undefined
}

export interface MembershipInput {
  readonly units: readonly MembershipUnit[]
  /** So many of the clusters that the module is on may leave together. */
  readonly maxRemoval: Amount
  readonly removals: Removals | undefined
  readonly ledger: readonly Pick<InFlightEntry, 'cluster' | 'kind'>[]
  /**
   * Limit of the removals. `None`: the objects stay on the clusters. `Share`: `maxRemoval`. `Hub`: no removal, as the limit of
   * the hub is reached.
   */
  readonly limit: 'None' | 'Share' | 'Hub'
  /** Somebody allows it now. */
  readonly isAllowed: boolean
  readonly nowMs: number
}

/** Facts of RemovalTooLarge: more clusters to remove at once than the controller allows. */
export interface TooManyRemovals {
  readonly removals: number
  readonly total: number
  /** Removals that have started. */
  readonly begun: number
}

export interface Membership {
  /** Clusters that would leave, and have not begun to. */
  readonly leave: readonly string[]
  /** Clusters that come. */
  readonly join: readonly string[]
  /** Too many at once; undefined: not, or allowed. */
  readonly tooMany: TooManyRemovals | undefined
  /** What of `removals` still counts, with what is allowed now. */
  readonly removals: Removals | undefined
  /** Clusters that it is on. */
  readonly there: number
}

export function membershipOf(input: MembershipInput): Membership {
  const { units, maxRemoval, nowMs } = input
  const there = units.filter((u) => u.present && IS_THERE.has(u.clusterState))
  const leave = there.filter((u) => !u.selected && !u.leaving)
  const join = units.filter((u) => u.selected && !u.present)
  const begun = new Set(input.ledger.filter((e) => e.kind === 'Remove').map((e) => e.cluster))
  // What has its slot counts as begun, also where its record could not be written yet.
  const waiting = leave.filter((u) => !begun.has(u.cluster)).length
  const known = countsStill(input, there, waiting) ? input.removals : undefined
  const all = waiting + (known?.begun ?? 0)
  const isOverShare = input.limit === 'Share' && isMany(all, maxRemoval, known?.of ?? there.length)
  const isTooMany = waiting > 0 && (input.limit === 'Hub' || isOverShare)
  const isNew = isTooMany && all > (known?.allowed ?? 0)
  const allowed = { sinceMs: nowMs, of: there.length, begun: 0, ...known, allowed: all }
  return {
    leave: leave.map((u) => u.cluster).sort(),
    join: join.map((u) => u.cluster).sort(),
    tooMany:
      isNew && !input.isAllowed
        ? { removals: all, total: known?.of ?? there.length, begun: known?.begun ?? 0 }
        : undefined,
    removals: isNew && input.isAllowed ? allowed : known,
    there: there.length,
  }
}

const isMany = (n: number, maxRemoval: Amount, of: number): boolean =>
  n > FEW && n > amountOf(maxRemoval, of, false)

/**
 * For a while; after that as long as it is what holds the others back, or what somebody has allowed is being done. What is
 * silent may be so for ever: nothing waits for it.
 */
function countsStill(
  { removals, maxRemoval, nowMs }: MembershipInput,
  there: readonly MembershipUnit[],
  waiting: number,
): boolean {
  if (!removals) return false
  if (nowMs - removals.sinceMs < TOGETHER_MS) return true
  if (removals.allowed !== undefined)
    return there.some((u) => !u.selected && u.clusterState !== 'Unreachable')
  return waiting > 0 && isMany(waiting + removals.begun, maxRemoval, removals.of)
}

/** With those that begin to leave by a decision: a start that is in the ledger already was counted with it. */
export function removalsWith(
  { removals, there }: Membership,
  started: readonly Pick<UnitStart, 'cluster' | 'kind'>[],
  ledger: readonly Pick<InFlightEntry, 'cluster' | 'kind'>[],
  nowMs: number,
): Removals | undefined {
  const known = new Set(ledger.filter((e) => e.kind === 'Remove').map((e) => e.cluster))
  const begin = started.filter((s) => s.kind === 'Remove' && !known.has(s.cluster)).length
  if (begin === 0) return removals
  const open = removals ?? { sinceMs: nowMs, of: there, begun: 0 }
  return { ...open, begun: open.begun + begin }
}
