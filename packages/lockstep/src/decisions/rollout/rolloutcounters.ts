/** Sums, for people. */
import { type ClassifiedUnit, classesOf, countOf, type StageRun, totalOf } from './stagerun.ts'
import type { Counters, ScheduleInput, StageStatus } from './types.ts'

export function rolloutCountersOf(all: readonly ClassifiedUnit[], { target }: ScheduleInput): Counters {
  const selected = all.filter((c) => c.unit.selected)
  const classes = classesOf(selected)
  let updated = 0
  /** Where they are to be, for good, and well: `updates: Once`. */
  let well = 0
  for (const { unit, class: name } of selected) {
    if (target !== undefined && unit.admittedRevision === target.revision) updated++
    if (name === 'Exempt' && unit.healthy) well++
  }
  return {
    total: selected.length,
    updated,
    ready: classes.Done + well,
    updating: countOf(classes, 'InFlight', 'Unhealthy', 'VerifyOnly', 'Leaving') + classes.Exempt - well,
    blocked: classes.Blocked,
    waiting: classes.Candidate,
    failed: classes.Failed,
    unreachable: classes.Unreachable,
    paused: classes.Paused,
    pinned: classes.Pinned,
    provisioning: classes.Absent,
  }
}

export const stageStatusOf = ({ state, classes }: StageRun): StageStatus => ({
  ...state,
  total: totalOf(classes),
  done: classes.Done,
  failed: classes.Failed,
  unreachable: classes.Unreachable,
  pinned: classes.Pinned,
})
