/** Sums, for people. */
import type { Classified } from './classify.ts'
import { isInTotal, type StageRun } from './stages.ts'
import type { Counters, ScheduleInput, StageStatus } from './types.ts'

export function countersOf(all: readonly Classified[], { target }: ScheduleInput): Counters {
  const selected = all.filter((c) => c.unit.selected)
  const of = (...classes: string[]): number => selected.filter((c) => classes.includes(c.class)).length
  // Where they are to be, for good: `updates: Once`.
  const kept = selected.filter((c) => c.class === 'Kept')
  return {
    total: selected.length,
    updated: selected.filter((c) => target !== undefined && c.unit.admittedRevision === target.revision)
      .length,
    ready: of('Done') + kept.filter((c) => c.unit.healthy).length,
    updating: of('InFlight', 'Unhealthy', 'Reverify', 'Leaving') + kept.filter((c) => !c.unit.healthy).length,
    blocked: of('Blocked'),
    waiting: of('Candidate'),
    failed: of('Failed'),
    unreachable: of('Unreachable'),
    paused: of('Paused'),
    pinned: of('Pinned'),
    provisioning: of('Gone'),
  }
}

export function stageStatusOf({ state, members }: StageRun): StageStatus {
  const count = (name: string): number => members.filter((c) => c.class === name).length
  return {
    ...state,
    total: members.filter(isInTotal).length,
    done: count('Done'),
    failed: count('Failed'),
    unreachable: count('Unreachable'),
    pinned: count('Pinned'),
  }
}
