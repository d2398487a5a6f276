/**
 * Which units of a module may start now: a pure function of what is observed. Total, deterministic, O(units log units);
 * the same input in any order gives the same output. Who is of which class: `classify.ts`; which stages are open:
 * `stages.ts`; who may start: `selectstarts.ts`.
 */

import { advanceClocks, judgeInFlight, secondsOf, storedEntry } from './budgets/inflight.ts'
import { isDone } from './classify.ts'
import { areRemovalsStopped, removalCounts } from './removal/removalcounts.ts'
import { type Requeue, requeueAfter } from './requeue.ts'
import { rollbackInput } from './rollback.ts'
import { rolloutCountersOf, stageStatusOf } from './rolloutcounters.ts'
import { rolloutBlockers } from './rolloutfacts.ts'
import { haltRevision, rolloutVerdict } from './rolloutverdict.ts'
import { rolloutWaits } from './rolloutwaits.ts'
import { selectStarts } from './selectstarts.ts'
import type { ClassCounts, ClassifiedUnit, StageRun } from './stagerun.ts'
import { isEmpty } from './stages.ts'
import type { InFlightEntry, ScheduleInput, ScheduleOutput, UnitClock, UnitStart } from './types.ts'
import { placeUnits, type UnitPlacement } from './unitplacement.ts'
import { isAbandoned, isOvertaken, withdrawalOf } from './withdrawal.ts'

export function schedule(asked: ScheduleInput): ScheduleOutput {
  const turned = asked.rollbackCause ? rollbackInput(asked) : asked
  const input = asked.retry ? forgiven(turned) : turned
  const clocks = advanceClocks(input)
  const { all, stages, limits, classes } = placedAnew(input, clocks)
  const isHealed = !all.some((c) => isStillFailed(input, c))
  const haltedAt = haltRevision(input, { stages, limits, failed: classes.Failed, isHealed })
  const stillIn = all.filter((c) => c.entry && keepsEntry(c))
  const removals = removalCounts(input, all)
  const w = selectStarts({
    input,
    limits,
    kept: stillIn,
    all,
    classes,
    isHeld: classes.Unreachable > limits.maxUnreachable,
    isStopped: isExternal(input) || input.heldBy !== undefined,
    isHalted: haltedAt !== undefined,
    areRemovalsStopped: areRemovalsStopped(removals),
  })
  const { withdraw, settlesInMs } = withdrawalOf(input, stillIn, w.start)
  // A unit that moves to a newer target on its own slot has its new entry only.
  const moved = new Set(w.entries.map((e) => e.cluster))
  const ledger = [
    ...stillIn.filter((c) => !moved.has(c.unit.cluster)).map((c) => storedEntry(c.entry!, c.clock)),
    ...w.entries,
  ].sort(byCluster)
  const phase = rolloutVerdict(input, { classes, stages, haltedAt, limits, ledger })
  return {
    start: w.start,
    withdraw: withdraw.map((c) => c.unit.cluster),
    phase,
    stage: input.target ? stages.find((s) => !s.isComplete)?.name : undefined,
    stages: input.target ? stages.map(stageStatusOf) : [],
    soaks: soaksOf(stages),
    haltedAt,
    ran: ranOf(input, all, ledger),
    retried: asked.retry && haltedAt === undefined,
    ledger,
    // A new entry begins at zero, also where an older one of the cluster had run for long. That one has ended need not be
    // written down at once: until it is, its clock goes on.
    clocks: new Map([...clocks].filter(([cluster]) => !moved.has(cluster))),
    counters: rolloutCountersOf(all, input),
    budgets: { maxUnavailable: { used: w.used, max: limits.maxUnavailable } },
    removals,
    early: earlyOf(all, w.start),
    awaited: w.budgets.awaited,
    failed: failedOf(all, classes),
    blockers: rolloutBlockers({ input, all, classes, stages, limits, haltedAt, removals, walk: w }),
    waits: rolloutWaits({ input, all, stages, walk: w }),
    ...sooner(sooner(requeueAfter(input, stillIn, stages), w.budgets.turnInMs), settlesInMs),
  }
}

/** It has failed at the target, and is not known to be well: also where nobody can ask just now. */
const isStillFailed = ({ target }: ScheduleInput, c: ClassifiedUnit): boolean =>
  c.entry?.failed !== undefined &&
  c.entry.kind !== 'Remove' &&
  c.entry.revision === target?.revision &&
  c.class !== 'Done' &&
  c.class !== 'Absent'

/** So many clusters whose running time is remembered. */
const MAX_RAN = 500

/**
 * Running time goes on where a unit is not well again: of those that are well once more it is kept, apart from the ledger,
 * until the rollout is complete. How long a unit ran before it was done for the first time is not: its deadline comes that
 * much later, and ten thousand clusters that never fail need no memory.
 */
function ranOf(
  { ran, target, completedAt }: ScheduleInput,
  all: readonly ClassifiedUnit[],
  ledger: readonly InFlightEntry[],
): Map<string, number> {
  if (!target || completedAt === target.revision) return new Map()
  const open = new Set(ledger.map((e) => e.cluster))
  const found: [string, number][] = []
  for (const { unit, entry, clock } of all) {
    const isOver = entry?.again === true && entry.revision === target.revision
    const seconds = isOver ? secondsOf(clock.runMs) : ran?.get(unit.cluster)
    if (seconds !== undefined && seconds > 0 && !open.has(unit.cluster)) found.push([unit.cluster, seconds])
  }
  found.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return new Map(found.slice(0, MAX_RAN).sort((a, b) => (a[0] < b[0] ? -1 : 1)))
}

/** What else changes the decision: a turn at a budget, an entry that is given up. */
const sooner = ({ changesInMs, wakeInMs }: Requeue, ms: number | undefined): Requeue => ({
  changesInMs: earliest(changesInMs, ms),
  wakeInMs: earliest(wakeInMs, ms),
})

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

/** The first ten, and what happened. */
function failedOf(all: readonly ClassifiedUnit[], classes: ClassCounts): ScheduleOutput['failed'] {
  if (classes.Failed === 0) return []
  const failed = all.filter((c) => c.class === 'Failed').slice(0, 10)
  return failed.map((c) => ({ cluster: c.unit.cluster, message: c.entry!.failed! }))
}

/** What starts though its stage is not open does so by consents that are to be there. */
function earlyOf(all: readonly ClassifiedUnit[], start: readonly UnitStart[]): string[] {
  if (start.length === 0) return []
  const started = new Set(start.map((x) => x.cluster))
  const ahead = ({ stage, isOpen, unit }: ClassifiedUnit): readonly string[] =>
    stage?.isOpen === false && isOpen && started.has(unit.cluster) && stage.consents ? stage.consents : []
  return [...new Set(all.flatMap(ahead))]
}

const isExternal = ({ policy, deleting }: ScheduleInput): boolean =>
  policy.strategy === 'External' && !deleting

const soaksOf = (stages: readonly StageRun[]): Map<string, number> =>
  new Map(
    stages.flatMap(({ name, soakMs, classes }) =>
      soakMs === undefined || isEmpty(classes) ? [] : [[name, soakMs] as const],
    ),
  )

/** As if nothing had failed: what has not got over it by itself or by another attempt fails anew. */
function forgiven(input: ScheduleInput): ScheduleInput {
  const failed = new Set(input.ledger.filter((e) => e.failed !== undefined).map((e) => e.cluster))
  const ledger = input.ledger.map(({ failed: wasFailed, ...e }) =>
    wasFailed === undefined ? e : { ...e, runSeconds: 0, readySeconds: 0 },
  )
  const clocks = new Map([...input.clocks].filter(([cluster]) => !failed.has(cluster)))
  return { ...input, haltedAt: undefined, ledger, clocks }
}

/** Each cluster has one. */
const byCluster = (a: InFlightEntry, b: InFlightEntry): number => (a.cluster < b.cluster ? -1 : 1)

/** All units; where an entry is given up, as they are without it: what it held is free for this decision. */
function placedAnew(input: ScheduleInput, clocks: ReadonlyMap<string, UnitClock>): UnitPlacement {
  const ledger = judgeInFlight(input, clocks)
  const placed = placeUnits(input, ledger, clocks)
  if (ledger.size === 0) return placed
  const ended = placed.all.filter((c) => isAbandoned(input, c))
  if (ended.length === 0) return placed
  for (const c of ended) ledger.delete(c.unit.cluster)
  return placeUnits(input, ledger, clocks)
}

/** Entries end when the unit is done, or no longer there; a failed one stays to be seen. */
function keepsEntry(c: ClassifiedUnit): boolean {
  const { entry } = c
  if (entry!.kind === 'Remove') return c.class === 'Leaving'
  if (c.class === 'Absent' || c.class === 'Done' || c.class === 'Blocked') return false
  if (isOvertaken(c) || c.class === 'Leaving') return true
  if (c.class === 'Paused' || c.class === 'Pinned') return !isDone(c)
  return c.class === 'InFlight' || c.class === 'Failed' || c.class === 'Unreachable'
}
