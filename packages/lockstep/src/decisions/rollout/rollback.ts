/** A rollout that leads back: no stages, no consent, no soak; who was hit first, then who came last. */
import { limitsOf } from './budgets/limits.ts'
import type { RolloutPolicy } from './policy.ts'
import { frozenBy, stagesOf } from './stagemembers.ts'
import type { ScheduleInput, UnitView } from './types.ts'

export function rollbackInput(input: ScheduleInput): ScheduleInput {
  const places = placesOf(input)
  return {
    ...input,
    policy: policyBack(input),
    units: input.units.map((u) => ({ ...u, order: orderBack(u, places.get(u.cluster)!) })),
    stages: [],
  }
}

/** In which place each cluster starts on the way forward; where it was started it is counted. */
function placesOf({ policy, units, stages }: ScheduleInput): Map<string, number> {
  const startedIn = new Map(units.map((u) => [u.cluster, u.recordStage]))
  const found = stagesOf(policy, units, frozenBy(stages), (c) => startedIn.get(c))
  const inOrder = found.flatMap((s) => s.members)
  return new Map(inOrder.map((m, i) => [m.cluster, i]))
}

/** What may be down at once stays as it is. An undo that fails halts; a rollback never turns round again. */
function policyBack({ policy, rollbackCause, units }: ScheduleInput): RolloutPolicy {
  const { stages: _, batches: __, windows, rollback, ...rest } = policy
  return {
    ...rest,
    strategy: policy.strategy === 'External' ? 'External' : 'Replace',
    maxUnavailable: policy.maxUnavailable ?? limitsOf(policy, units.length).maxUnavailable,
    onFailure: rollbackCause === 'Undo' ? 'Halt' : 'Continue',
    windows: rollback?.respectWindows === true ? windows : undefined,
  }
}

const PLACES = 1e9

/** Those that are down or have failed come first, then who started last. */
function orderBack({ admittedRevision: there, healthy, at }: UnitView, place: number): string {
  const isHit = there !== undefined && (!healthy || at(there).failure !== undefined)
  return `${isHit ? 0 : 1} ${String(PLACES - place).padStart(10, '0')}`
}
