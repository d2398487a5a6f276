/** Every unit with its class, and the stage that it is in. */
import { classified, joinAtOf } from './classify.ts'
import { clockOf } from './ledger.ts'
import { type Limits, limitsOf } from './limits.ts'
import { isInTotal, runStages, type StageRun } from './stages.ts'
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
  const classOf = (unit: UnitView, stage: StageRun | undefined): Staged => ({
    ...classified(unit, ledger.get(unit.cluster), clockOf(clocks, unit.cluster), {
      target: input.target,
      minReadyMs: input.policy.minReadySeconds * 1000,
      joinAt: joinAtOf(input),
      isOpen: stage?.isOpen ?? false,
    }),
    stage,
  })
  // Who is of the rollout does not depend on what is open.
  const first = input.units.map((unit) => classOf(unit, undefined))
  const limits = limitsOf(input.policy, first.filter(isInTotal).length)
  // Who is still to come belongs to its stage already.
  const isComing = ({ unit }: Staged): boolean => unit.selected && unit.clusterState === 'Provisioning'
  const others = first.filter((c) => (c.class === 'Gone' && !isComing(c)) || c.class === 'Leaving')
  const isOther = new Set(others.map((c) => c.unit))
  const stages = runStages(
    { input, ledger, clocks, limits },
    input.units.filter((u) => !isOther.has(u)),
  )
  const members = stages.flatMap((stage) => stage.members.map((c): Staged => ({ ...c, stage })))
  return { all: [...members, ...others.sort(byOrder)], stages, limits }
}

function byOrder(a: Staged, b: Staged): number {
  const [x, y] = [a.unit, b.unit]
  if (x.order !== y.order) return x.order < y.order ? -1 : 1
  return x.cluster < y.cluster ? -1 : x.cluster > y.cluster ? 1 : 0
}
