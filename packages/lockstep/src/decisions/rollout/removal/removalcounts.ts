/** Removals of a Module, counted together, and how many of them may fail before no other one starts. Pure. */
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import { MAX_REFS } from '../../../api/reasons/index.ts'
import { namedUnit } from '../../graph/index.ts'
import { amountAbove } from '../budgets/amount.ts'
import type { RolloutPolicy } from '../policy.ts'
import type { ClassifiedUnit } from '../stagerun.ts'
import type { RemovalCounts, ScheduleInput, UnitView } from '../types.ts'

/** `spec.rollout.removal` of a Module that was written without it. */
const DEFAULTS = { maxFailed: '25%', progressDeadlineSeconds: 1800 } as const

/** Seconds for which the removal of a unit may run; 0: any. */
export const removalDeadline = ({ removal }: RolloutPolicy): number =>
  removal?.progressDeadlineSeconds ?? DEFAULTS.progressDeadlineSeconds

/** Undefined: there is nothing to remove. A cluster that is gone, or goes, is not waited for. */
export function removalCounts(
  { policy, removalTotal = 0 }: ScheduleInput,
  all: readonly ClassifiedUnit[],
): RemovalCounts | undefined {
  const left = all.filter((c) => isToRemove(c.unit))
  if (left.length === 0) return undefined
  const total = Math.max(removalTotal, left.length)
  const { maxFailed } = policy.removal ?? DEFAULTS
  const isPercent = typeof maxFailed === 'string' && maxFailed.endsWith('%')
  return {
    total,
    left: left.length,
    failed: left.filter(hasFailedRemoval).length,
    maxFailed: Math.max(isPercent ? 1 : 0, amountAbove(maxFailed, total)),
  }
}

/** A unit that is removed, or waits for its removal. */
export const isToRemove = ({ selected, leaving, present, clusterState }: UnitView): boolean =>
  present && (leaving || !selected) && clusterState !== 'Absent' && clusterState !== 'Deleting'

export const hasFailedRemoval = ({ class: name, entry }: ClassifiedUnit): boolean =>
  name === 'Leaving' && entry?.kind === 'Remove' && entry.failed !== undefined

/** No removal starts until fewer fail. */
export const areRemovalsStopped = (counts: RemovalCounts | undefined): boolean =>
  counts !== undefined && counts.failed > counts.maxFailed

/** `9 of 30 clusters, limit 8: c1: ConfigMap default/x: …`; none: no removal has failed. */
export function removalFailedBlockers(
  { module }: Pick<ScheduleInput, 'module'>,
  all: readonly ClassifiedUnit[],
  counts: RemovalCounts | undefined,
): NewBlocker[] {
  if (!counts || counts.failed === 0) return []
  const failed = all.filter(hasFailedRemoval)
  const [first] = failed
  const { total, maxFailed } = counts
  const on = failed.slice(0, MAX_REFS).map((c) => namedUnit(module, c.unit.cluster))
  const facts = {
    failed: failed.length,
    total,
    maxFailed,
    cluster: first!.unit.cluster,
    failure: first!.entry!.failed!,
  }
  return [{ ...blocked('RemovalFailed', on, facts), count: failed.length }]
}
