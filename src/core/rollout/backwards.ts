/** A rollout that leads back: no stages, no consent, no soak; who was hit first, then who came last. */
import { limitsOf } from './limits.ts'
import { WHOLE_STAGE } from './members.ts'
import type { RolloutPolicy } from './policy.ts'
import type { ScheduleInput, UnitView } from './types.ts'

export function backwards(input: ScheduleInput): ScheduleInput {
  const { policy } = input
  const stageOf = new Map((policy.stages ?? []).map((s, i) => [s.name, i]))
  return {
    ...input,
    policy: policyBack(input),
    units: input.units.map((u) => ({ ...u, order: orderBack(u, stageOf) })),
    stages: [],
  }
}

/** What may be down at once stays as it is. An undo that fails halts; a rollback never turns round again. */
function policyBack({ policy, back, units }: ScheduleInput): RolloutPolicy {
  const { stages: _, batches: __, windows, rollback, ...rest } = policy
  return {
    ...rest,
    strategy: policy.strategy === 'External' ? 'External' : 'Replace',
    maxUnavailable: policy.maxUnavailable ?? limitsOf(policy, units.length).maxUnavailable,
    onFailure: back === 'Undo' ? 'Halt' : 'Continue',
    updates: 'Automatic',
    windows: rollback?.respectWindows === true ? windows : undefined,
  }
}

/** Those that are down come first, then the later stages, in each the reverse of the way forward. */
function orderBack(unit: UnitView, stageOf: ReadonlyMap<string, number>): string {
  const isDown = unit.admittedRevision !== undefined && !unit.healthy
  const stage = stageOf.get((unit.recordStage ?? WHOLE_STAGE).split('/')[0]!) ?? 99
  return `${isDown ? 0 : 1} ${String(99 - stage).padStart(2, '0')} ${mirrored(unit.order)}`
}

const DIGITS = '0123456789abcdef'

/** Sorts in the reverse of its order. */
const mirrored = (order: string): string =>
  order.replace(/[0-9a-f]/g, (d) => DIGITS[DIGITS.length - 1 - DIGITS.indexOf(d)]!)
