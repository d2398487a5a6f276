/** Clusters that a module is on and does not select any more: told before anything goes, and held where they are too many. */
import { amountOf } from './amount.ts'
import type { Amount } from './policy.ts'
import type { ClusterState, UnitView } from './types.ts'

/** So few may leave whatever part of the clusters they are. */
const FEW = 4

/** A cluster that is gone does not leave: what is on it stays. */
const IS_THERE: ReadonlySet<ClusterState> = new Set(['Connected', 'Paused', 'Unreachable'])

type Member = Pick<UnitView, 'cluster' | 'clusterState' | 'selected' | 'present' | 'leaving'>

export interface Membership {
  /** Clusters that would leave, and have not begun to. */
  readonly leave: readonly string[]
  /** Clusters that come. */
  readonly join: readonly string[]
  /** `400 of 410 clusters would leave`: too many at once; undefined: not. */
  readonly tooMany: string | undefined
}

/** `maxRemoval`: so many of the clusters that the module is on may leave at once. */
export function membershipOf(units: readonly Member[], maxRemoval: Amount): Membership {
  const there = units.filter((u) => u.present && IS_THERE.has(u.clusterState))
  const leave = there.filter((u) => !u.selected && !u.leaving)
  const join = units.filter((u) => u.selected && !u.present)
  const isTooMany = leave.length > FEW && leave.length > amountOf(maxRemoval, there.length, false)
  return {
    leave: leave.map((u) => u.cluster).sort(),
    join: join.map((u) => u.cluster).sort(),
    tooMany: isTooMany ? `${leave.length} of ${there.length} clusters would leave` : undefined,
  }
}
