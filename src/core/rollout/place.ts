/** Every unit with its class, and the stage that it is in. */
import { classified, isKept, keepsOf, outsideOf } from './classify.ts'
import { clockOf } from './ledger.ts'
import { type Limits, limitsOf } from './limits.ts'
import { runStages, type StageRun } from './stages.ts'
import type { Clock, LedgerEntry, ScheduleInput, UnitView } from './types.ts'
import type { Staged } from './walk.ts'

export interface Placed {
  /** By stage, in the stage's order; what leaves or is gone comes last. */
  readonly all: readonly Staged[]
  readonly stages: readonly StageRun[]
  readonly limits: Limits
}

export function placedOf(
  input: ScheduleInput,
  ledger: ReadonlyMap<string, LedgerEntry>,
  clocks: ReadonlyMap<string, Clock>,
): Placed {
  const isMember = new Set<UnitView>()
  const keeps = keepsOf(input)
  let total = 0
  for (const unit of input.units) {
    const outside =
      outsideOf(unit) ?? (isKept({ unit, entry: ledger.get(unit.cluster) }, keeps) ? 'Kept' : undefined)
    // Of a module that goes, all that leave are what there is a share of.
    if (outside === undefined || (input.deleting && outside === 'Leaving')) total++
    // Who is still to come belongs to its stage already.
    const isComing = unit.selected && unit.clusterState === 'Provisioning'
    const isAside = outside === 'Pinned' || outside === 'Kept' || (outside === 'Gone' && isComing)
    if (outside === undefined || isAside) isMember.add(unit)
  }
  const limits = limitsOf(input.policy, total)
  const stages = runStages(
    { input, ledger, clocks, limits, isDoubtful: isDoubtful(input, ledger, limits) },
    input.units.filter((u) => isMember.has(u)),
  )
  const all: Staged[] = []
  // Nobody else has them yet: ten thousand copies would cost more than the decision.
  for (const stage of stages) for (const c of stage.members) all.push(Object.assign(c, { stage }))
  const how = {
    target: input.target,
    minReadyMs: input.policy.minReadySeconds * 1000,
    joinAt: undefined,
    isOpen: false,
  }
  const others = input.units
    .filter((u) => !isMember.has(u))
    .map(
      (u): Staged => ({
        ...classified(u, ledger.get(u.cluster), clockOf(clocks, u.cluster), how),
        stage: undefined,
      }),
    )
  return { all: [...all, ...others.sort(byOrder)], stages, limits }
}

/** What goes on though more has failed than is tolerated is nothing to begin with. */
function isDoubtful(
  { policy, target, units }: ScheduleInput,
  ledger: ReadonlyMap<string, LedgerEntry>,
  { maxFailed }: Limits,
): boolean {
  if (policy.onFailure !== 'Continue' || !target) return false
  const there = new Set(units.filter((u) => u.clusterState === 'Connected').map((u) => u.cluster))
  const failed = [...ledger.values()].filter(
    (e) => e.failed !== undefined && e.revision === target.revision && there.has(e.cluster),
  )
  return failed.length > maxFailed
}

function byOrder(a: Staged, b: Staged): number {
  const [x, y] = [a.unit, b.unit]
  if (x.order !== y.order) return x.order < y.order ? -1 : 1
  return x.cluster < y.cluster ? -1 : x.cluster > y.cluster ? 1 : 0
}
