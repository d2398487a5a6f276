/** Why clusters of a rollout wait, for people. */

import { short10 } from '@lockstep/kube/object'
import { blocked, type NewBlocker, summarized } from '../../api/blocker.ts'
import { MAX_REFS, type WaitRefOf } from '../../api/reasons/index.ts'
import { namedModule, namedUnit } from '../graph/index.ts'
import { holdRef } from './approvals/approvals.ts'
import type { RolloutLimits } from './budgets/limits.ts'
import type { SharedLimit } from './budgets/startstop.ts'
import { removalFailedBlockers } from './removal/removalcounts.ts'
import { holdsSlot, MAX_LEDGER, type Selection } from './selectstarts.ts'
import type { ClassCounts, ClassifiedUnit, StageRun } from './stagerun.ts'
import { clockSkewFacts } from './time/clockskew.ts'
import { openingText, type RolloutWindow, windowProblem } from './time/windows.ts'
import type { RemovalCounts, ScheduleInput, UnitClass, UnitHold } from './types.ts'

/** What a decision came to, as far as it made somebody wait. */
export interface RolloutFacts {
  readonly input: ScheduleInput
  readonly all: readonly ClassifiedUnit[]
  readonly classes: ClassCounts
  readonly stages: readonly StageRun[]
  readonly limits: RolloutLimits
  readonly haltedAt: string | undefined
  readonly removals: RemovalCounts | undefined
  readonly walk: Selection
}

/** At most ten: of the whole rollout first, then what single clusters wait for. */
export function rolloutBlockers(o: RolloutFacts): NewBlocker[] {
  const { input, limits, walk } = o
  const out: NewBlocker[] = []
  if (o.haltedAt !== undefined) out.push(halted(o, o.haltedAt))
  else if (input.heldBy !== undefined && !input.deleting)
    out.push(
      blocked('Held', [holdRef(input.heldBy)], {
        action: input.isSuspended ? 'Suspend' : 'Pause',
        target: namedModule(input.module).name,
      }),
    )
  out.push(...removalFailedBlockers(input, o.all, o.removals))
  if (o.classes.Unreachable > limits.maxUnreachable) out.push(tooManyUnreachable(o))
  for (const [stage, waiting] of walk.windowClosed) out.push(windowClosed(o, stage, waiting))
  out.push(...stageBlockers(o))
  const unhealthy = unhealthyNames(o.all)
  for (const [limit, waiting] of walk.noRoom) out.push(limitReached(o, limit, waiting, unhealthy))
  out.push(...walk.budgets.blockers())
  if (walk.noEntry > 0) {
    const full = { waiting: walk.noEntry, max: MAX_LEDGER }
    out.push(counted(blocked('InFlightLimit', [namedModule(input.module)], full), walk.noEntry))
  }
  return [...out, ...gateBlockers(o.all), ...heldBlockers(o.all, input.module)].slice(0, 10)
}

const SHOWN = 3
const counted = (b: NewBlocker, count: number): NewBlocker => ({ ...b, count })

/** Their slots are not free again when a deployment ends. */
function unhealthyNames(all: readonly ClassifiedUnit[]): string[] {
  // What has failed at an older revision is in flight until its stage takes it to the target.
  const isUnhealthy = (c: ClassifiedUnit): boolean =>
    c.class === 'Unhealthy' || (c.class === 'InFlight' && c.entry?.failed !== undefined)
  return all
    .filter((c) => isUnhealthy(c) && holdsSlot(c))
    .map((c) => c.unit.cluster)
    .sort()
}

function limitReached(
  { input, all, walk }: RolloutFacts,
  { name: limit, stage, used, max }: SharedLimit,
  waiting: number,
  unhealthy: readonly string[],
): NewBlocker {
  const sick = limit === UNAVAILABLE ? unhealthy : []
  const holding = [...all.filter(holdsSlot).map((c) => c.unit), ...walk.start].map((u) => u.cluster)
  const on = [...new Set([...sick, ...holding])].slice(0, MAX_REFS)
  const shown = { unhealthy: sick.slice(0, SHOWN), unhealthyCount: sick.length }
  const refs = on.map((cluster) => namedUnit(input.module, cluster))
  return counted(blocked('RolloutLimit', refs, { limit, stage, used, max, waiting, ...shown }), waiting)
}

/** The limit that unhealthy clusters use up. */
const UNAVAILABLE = 'maxUnavailable'

function tooManyUnreachable({ all, classes, limits }: RolloutFacts): NewBlocker {
  const clusters = all.filter((c) => c.class === 'Unreachable').map((c) => c.unit.cluster)
  const on = clusters.slice(0, MAX_REFS).map((name) => ({ kind: 'Cluster', name }) as const)
  const { total, maxUnreachable: max } = limits
  return blocked('TooManyUnreachable', on, { unreachable: classes.Unreachable, total, max })
}

/** What the stages wait for; that a later one is not open yet is said where clusters of it wait. */
function stageBlockers({ stages, walk, input }: RolloutFacts): NewBlocker[] {
  if (input.deleting || !input.target) return []
  return stages.flatMap(({ name, opensAfter, waits }) => {
    const count = walk.pending.get(name)
    if (opensAfter === undefined) return [...waits]
    if (count === undefined) return []
    const pending = { stage: name, after: opensAfter, waiting: count }
    const before = stages.find((s) => s.name === opensAfter)
    const on = [namedModule(input.module), ...unfinishedUnits(input.module, before?.members ?? [])]
    return [counted(blocked('StagePending', on, pending), count)]
  })
}

/** Classes of units that a stage waits for, those with a problem first. */
const UNFINISHED: readonly UnitClass[] = ['Failed', 'Unhealthy', 'InFlight', 'Blocked', 'Candidate']

const unfinishedUnits = (module: string, members: readonly ClassifiedUnit[]): WaitRefOf<'Unit'>[] =>
  UNFINISHED.flatMap((name) => members.filter((c) => c.class === name)).map((c) =>
    namedUnit(module, c.unit.cluster),
  )

/** A clock that differs too much, or windows: of a stage, or (empty name) of the whole rollout. */
function windowClosed({ input, stages }: RolloutFacts, stage: string, waiting: number): NewBlocker {
  const { skewMs } = input
  const named = { ...(stage === '' ? {} : { stage }), waiting }
  if (skewMs !== undefined)
    return counted(blocked('ClockSkew', [HUB_CLOCK], { ...named, ...clockSkewFacts(skewMs) }), waiting)
  const run = stages.find((s) => s.name === stage)
  // What is shut has some.
  const windows: readonly RolloutWindow[] = (run ? run.policy.windows : input.policy.windows)!
  const problem = windows.map((w) => windowProblem(w, input.calendar)).find((p) => p !== undefined)
  const opens = problem === undefined ? openingText(windows, input.nowMs, input.calendar) : undefined
  const on = [{ kind: 'Time', name: opens ?? 'unknown' }] as const
  return counted(blocked('WindowClosed', on, { ...named, opens, problem }), waiting)
}

const HUB_CLOCK: WaitRefOf<'External'> = { kind: 'External', name: 'clock of the hub' }

function halted({ all, limits, input }: RolloutFacts, revision: string): NewBlocker {
  const failed = all.filter((c) => c.class === 'Failed').map((c) => c.unit.cluster)
  const units = failed.slice(0, MAX_REFS).map((cluster) => namedUnit(input.module, cluster))
  // A halt stays when those that failed have recovered: then the Module itself waits for its approver.
  return blocked('Halted', units.length > 0 ? units : [namedModule(input.module)], {
    revision: short10(revision),
    failed: failed.length,
    maxFailed: limits.maxFailed,
    names: failed.slice(0, SHOWN),
    resumes: input.ofSet ? 'Recovered' : undefined,
  })
}

/** Single clusters that a Hold keeps where they are. */
const heldBlockers = (all: readonly ClassifiedUnit[], module: string): NewBlocker[] =>
  summarized(
    all.flatMap(({ unit }) => {
      const { hold, cluster } = unit
      // A pinned cluster is at its revision: nothing waits.
      if (!hold || hold.action === 'Pin' || !unit.selected) return []
      return [{ cluster, blocker: heldBlocker(hold, namedModule(module).name) }]
    }),
  )

function heldBlocker(hold: Exclude<UnitHold, { action: 'Pin' }>, target: string): NewBlocker {
  const on = holdRef(hold.by)
  switch (hold.action) {
    case 'Suspend':
    case 'Pause':
      return blocked('Held', [on], { action: hold.action, target })
    case 'Conflict':
      return blocked('HoldConflict', [on, holdRef(hold.and)], {})
    case 'Unknown':
      return blocked('PinnedRevisionUnknown', [on], { revision: hold.wanted })
  }
}

function waitsOf({ class: name, unit, at, targetRevision }: ClassifiedUnit): readonly NewBlocker[] {
  if (name === 'Leaving') return unit.dependants
  // Under way, and not admitted yet: its assignment is about to be taken back.
  const isShut = name === 'InFlight' && unit.admittedRevision !== targetRevision
  const isOnItsWay =
    name === 'Pinned' && targetRevision !== undefined && unit.admittedRevision !== targetRevision
  return name === 'Blocked' || name === 'Unhealthy' || isShut || isOnItsWay ? at.gate : []
}

const gateBlockers = (all: readonly ClassifiedUnit[]): NewBlocker[] =>
  summarized(all.flatMap((c) => waitsOf(c).map((blocker) => ({ cluster: c.unit.cluster, blocker }))))
