/** When time alone changes the decision. */
import type { StageRun } from './stages.ts'
import type { ScheduleInput } from './types.ts'
import type { Staged } from './walk.ts'
import { windowsAt } from './windows.ts'

/** Clocks are stored at least so often. */
const PERSIST_MS = 30_000
/** Clocks that do not agree are compared again after so long. */
const SKEWED_MS = 30_000

/** The earliest instant at which time alone changes the decision, or at which the clocks should be stored. */
export function wakeIn(
  input: ScheduleInput,
  kept: readonly Staged[],
  stages: readonly StageRun[],
): number | undefined {
  const { policy, nowMs } = input
  let least: number | undefined
  const consider = (ms: number): void => {
    if (ms > 0 && (least === undefined || ms < least)) least = ms
  }
  for (const { unit, clock, entry, at } of kept) {
    if (at.running && entry?.failed === undefined && policy.progressDeadlineSeconds > 0) {
      consider(Math.min(policy.progressDeadlineSeconds * 1000 - clock.runMs, PERSIST_MS))
    }
    if (at.verified && unit.healthy)
      consider(Math.min(policy.minReadySeconds * 1000 - clock.readyMs, PERSIST_MS))
  }
  for (const { soakMs, isComplete, policy: stage } of stages)
    if (soakMs !== undefined && !isComplete)
      consider(Math.min((stage.soakSeconds ?? 0) * 1000 - soakMs, PERSIST_MS))
  if (!input.target || policy.strategy === 'External') return least
  const windowed = [policy.windows, ...stages.map((s) => (s.isComplete ? [] : s.policy.windows))]
  // Nothing tells that clocks agree again.
  if (input.skewMs !== undefined && windowed.some((w) => w !== undefined && w.length > 0)) consider(SKEWED_MS)
  for (const windows of windowed) {
    const { changesAtMs } = windowsAt(windows ?? [], nowMs, input.calendar)
    if (changesAtMs !== undefined) consider(changesAtMs - nowMs)
  }
  return least
}
