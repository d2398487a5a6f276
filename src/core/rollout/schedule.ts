/**
 * Which units of a module may start now: a pure function of what is observed. Total, deterministic, O(units log units);
 * the same input in any order gives the same output. Who is of which class: `classify.ts`; which stages are open:
 * `stages.ts`; who may start: `walk.ts`.
 */
import { backwards } from './backwards.ts'
import { blockersOf } from './blockers.ts'
import { isDone } from './classify.ts'
import { countersOf, stageStatusOf } from './counters.ts'
import { advanceClocks, clockOf, judgedLedger, storedEntry } from './ledger.ts'
import { placedOf } from './place.ts'
import type { StageRun } from './stages.ts'
import type { LedgerEntry, ScheduleInput, ScheduleOutput } from './types.ts'
import { haltRevision, phaseOf } from './verdict.ts'
import { type Wake, wakeIn } from './wake.ts'
import { type Staged, walk } from './walk.ts'

export function schedule(asked: ScheduleInput): ScheduleOutput {
  const turned = asked.back ? backwards(asked) : asked
  const input = asked.retry ? forgiven(turned) : turned
  const clocks = advanceClocks(input)
  const { all, stages, limits } = placedOf(input, judgedLedger(input, clocks), clocks)
  const failedUnits = all.filter((c) => c.class === 'Failed')
  const haltedAt = haltRevision(input, { stages, limits, failed: failedUnits.length })
  const withdraw = input.target ? overtaken(all) : []
  const stillIn = all.filter((c) => c.entry && keepsEntry(c) && !withdraw.includes(c.unit.cluster))
  const unreachable = all.filter((c) => c.class === 'Unreachable').length
  const w = walk({
    input,
    limits,
    kept: stillIn,
    all: all.filter((c) => !withdraw.includes(c.unit.cluster)),
    isHeld: unreachable > limits.maxUnreachable,
    isStopped: isExternal(input) || input.heldBy !== undefined,
    isHalted: haltedAt !== undefined,
  })
  // A unit that moves to a newer target on its own slot has its new entry only.
  const moved = new Set(w.entries.map((e) => e.cluster))
  const ledger = [
    ...stillIn.filter((c) => !moved.has(c.unit.cluster)).map((c) => storedEntry(c.entry!, c.clock)),
    ...w.entries,
  ].sort(byCluster)
  const phase = phaseOf(input, { all, stages, haltedAt, limits, ledger })
  return {
    start: w.start,
    withdraw,
    phase,
    stage: input.target ? stages.find((s) => !s.isComplete)?.name : undefined,
    stages: input.target ? stages.map(stageStatusOf) : [],
    soaks: soaksOf(stages),
    haltedAt,
    retried: asked.retry && haltedAt === undefined,
    ledger,
    // A new entry begins at zero, also where an older one of the cluster had run for long.
    clocks: new Map(
      ledger.filter((e) => !moved.has(e.cluster)).map((e) => [e.cluster, clockOf(clocks, e.cluster)]),
    ),
    counters: countersOf(all, input),
    budgets: { maxUnavailable: { used: w.used, max: limits.maxUnavailable } },
    awaited: w.budgets.awaited,
    failed: failedUnits.slice(0, 10).map((c) => ({ cluster: c.unit.cluster, message: c.entry!.failed! })),
    blockers: blockersOf({ input, all, stages, limits, haltedAt, walk: w }),
    ...sooner(wakeIn(input, stillIn, stages), w.budgets.turnInMs),
  }
}

/** A turn at a budget changes the decision, too. */
const sooner = ({ changesInMs, wakeInMs }: Wake, turnInMs: number | undefined): Wake => ({
  changesInMs: earliest(changesInMs, turnInMs),
  wakeInMs: earliest(wakeInMs, turnInMs),
})

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

const isExternal = ({ policy, deleting }: ScheduleInput): boolean =>
  policy.strategy === 'External' && !deleting

const soaksOf = (stages: readonly StageRun[]): Map<string, number> =>
  new Map(stages.flatMap(({ name, soakMs }) => (soakMs === undefined ? [] : [[name, soakMs] as const])))

/** As if nothing had failed: what has not got over it by itself or by another attempt fails anew. */
function forgiven(input: ScheduleInput): ScheduleInput {
  const failed = new Set(input.ledger.filter((e) => e.failed !== undefined).map((e) => e.cluster))
  const ledger = input.ledger.map(({ failed: wasFailed, ...e }) =>
    wasFailed === undefined ? e : { ...e, runSeconds: 0, readySeconds: 0 },
  )
  const clocks = new Map([...input.clocks].filter(([cluster]) => !failed.has(cluster)))
  return { ...input, haltedAt: undefined, ledger, clocks }
}

const byCluster = (a: LedgerEntry, b: LedgerEntry): number =>
  a.cluster < b.cluster ? -1 : a.cluster > b.cluster ? 1 : 0

/** Assigned, not admitted, and overtaken: by its gate, a Hold, a newer target, or the cluster's falling away. */
function overtaken(all: readonly Staged[]): string[] {
  return all
    .filter(({ unit, entry, at, aim, stage }) => {
      if (!entry || entry.kind === 'Remove' || unit.recordRevision !== entry.revision) return false
      if (unit.admittedRevision === entry.revision) return false
      if (at.gate.length > 0 || unit.clusterState === 'Unreachable' || unit.hold?.action === 'Pause')
        return true
      return entry.revision !== aim && stage?.isOpen === false
    })
    .map((c) => c.unit.cluster)
}

/** Entries end when the unit is done, or no longer there; a failed one stays to be seen. */
function keepsEntry(c: Staged): boolean {
  const { unit, entry, at, aim } = c
  if (entry!.kind === 'Remove') return c.class === 'Leaving'
  // Taken for a record that was never written, and overtaken meanwhile: given back.
  const isShut = at.gate.length > 0 || (entry!.revision !== aim && c.stage?.isOpen === false)
  if (c.class === 'InFlight' && unit.recordRevision !== entry!.revision && isShut) return false
  if (c.class === 'Paused' || c.class === 'Pinned') return !isDone(c)
  return c.class === 'InFlight' || c.class === 'Failed' || c.class === 'Unreachable'
}
