/** Every unit with its class, and the stage that it is in. */

import { clockOf } from './budgets/inflight.ts'
import { limitsOf, type RolloutLimits } from './budgets/limits.ts'
import { classifyUnit, isExempt, keepsOf, outsideOf } from './classify.ts'
import { type ClassCounts, type ClassifiedUnit, classesOf, type StageRun } from './stagerun.ts'
import { runStages } from './stages.ts'
import type { InFlightEntry, ScheduleInput, UnitClock, UnitView } from './types.ts'

export interface UnitPlacement {
  /** By stage, in the stage's order; what leaves or is gone comes last. */
  readonly all: readonly ClassifiedUnit[]
  readonly stages: readonly StageRun[]
  readonly limits: RolloutLimits
  readonly classes: ClassCounts
}

export function placeUnits(
  input: ScheduleInput,
  ledger: ReadonlyMap<string, InFlightEntry>,
  clocks: ReadonlyMap<string, UnitClock>,
): UnitPlacement {
  const members: UnitView[] = []
  const outside: UnitView[] = []
  const keeps = keepsOf(input)
  let total = 0
  for (const unit of input.units) {
    const where =
      outsideOf(unit) ?? (isExempt({ unit, entry: ledger.get(unit.cluster) }, keeps) ? 'Exempt' : undefined)
    // Of a module that goes, all that leave are what there is a share of.
    if (where === undefined || (input.deleting && where === 'Leaving')) total++
    // Who is still to come belongs to its stage already.
    const isComing = unit.selected && unit.clusterState === 'Provisioning'
    const isAside = where === 'Pinned' || where === 'Exempt' || (where === 'Absent' && isComing)
    if (where === undefined || isAside) members.push(unit)
    else outside.push(unit)
  }
  const limits = limitsOf(input.policy, total)
  const stages = runStages(
    { input, ledger, clocks, limits, isDoubtful: isDoubtful(input, ledger, limits) },
    members,
  )
  const how = {
    target: input.target,
    minReadyMs: input.policy.minReadySeconds * 1000,
    joinAt: undefined,
    isOpen: false,
  }
  const others = outside.map((u) => classifyUnit(u, ledger.get(u.cluster), clockOf(clocks, u.cluster), how))
  const all: ClassifiedUnit[] = []
  for (const stage of stages) for (const c of stage.members) all.push(c)
  for (const c of others.sort(byOrder)) all.push(c)
  return { all, stages, limits, classes: classesOf(all) }
}

/** What goes on though more has failed than is tolerated is nothing to begin with. */
function isDoubtful(
  { policy, target, units }: ScheduleInput,
  ledger: ReadonlyMap<string, InFlightEntry>,
  { maxFailed }: RolloutLimits,
): boolean {
  if (policy.onFailure !== 'Continue' || !target) return false
  if (ledger.size === 0) return false
  const there = new Set(units.filter((u) => u.clusterState === 'Connected').map((u) => u.cluster))
  const failed = [...ledger.values()].filter(
    (e) =>
      e.failed !== undefined && e.kind !== 'Remove' && e.revision === target.revision && there.has(e.cluster),
  )
  return failed.length > maxFailed
}

function byOrder(a: ClassifiedUnit, b: ClassifiedUnit): number {
  const [x, y] = [a.unit, b.unit]
  if (x.order !== y.order) return x.order < y.order ? -1 : 1
  return x.cluster < y.cluster ? -1 : 1
}
