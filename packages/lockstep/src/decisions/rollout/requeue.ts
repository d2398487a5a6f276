/** When time alone changes the decision. */
import { removalDeadline } from './removal/removalcounts.ts'
import type { ClassifiedUnit, StageRun } from './stagerun.ts'
import { windowsAt } from './time/windows.ts'
import type { ScheduleInput } from './types.ts'

/** Clocks are stored at least so often. */
const PERSIST_MS = 30_000
/** Clocks that do not agree are compared again after so long. */
const SKEWED_MS = 30_000

/** In milliseconds; undefined: never. */
export interface Requeue {
  /** Until time alone changes the decision. */
  readonly changesInMs: number | undefined
  /** Until then, or until the clocks should be stored. */
  readonly wakeInMs: number | undefined
}

export function requeueAfter(
  input: ScheduleInput,
  kept: readonly ClassifiedUnit[],
  stages: readonly StageRun[],
): Requeue {
  const { policy, nowMs } = input
  let least: number | undefined
  let isCounting = false
  const consider = (ms: number): void => {
    if (ms > 0 && (least === undefined || ms < least)) least = ms
  }
  const count = (ms: number): void => {
    if (ms > 0) isCounting = true
    consider(ms)
  }
  for (const { unit, clock, entry, at } of kept) {
    const isRemoval = entry?.kind === 'Remove'
    const isRunning = isRemoval ? unit.removal?.isRunning === true : at.running
    const deadline = isRemoval ? removalDeadline(policy) : policy.progressDeadlineSeconds
    if (isRunning && entry?.failed === undefined && deadline > 0) count(deadline * 1000 - clock.runMs)
    if (isRemoval) continue
    if (at.verified && unit.healthy && policy.minReadySeconds > 0)
      count(policy.minReadySeconds * 1000 - clock.readyMs)
  }
  for (const { soakMs, isComplete, policy: stage } of stages) {
    const askedMs = (stage.soakSeconds ?? 0) * 1000
    if (soakMs !== undefined && !isComplete && askedMs > 0) count(askedMs - soakMs)
  }
  const woken = (): Requeue => ({
    changesInMs: least,
    // What counts is considered, too.
    wakeInMs: isCounting ? Math.min(least!, PERSIST_MS) : least,
  })
  if (!input.target || policy.strategy === 'External') return woken()
  const windowed = [policy.windows, ...stages.map((s) => (s.isComplete ? [] : s.policy.windows))]
  // Nothing tells that clocks agree again.
  if (input.skewMs !== undefined && windowed.some((w) => w !== undefined && w.length > 0)) consider(SKEWED_MS)
  for (const windows of windowed) {
    const { changesAtMs } = windowsAt(windows ?? [], nowMs, input.calendar)
    if (changesAtMs !== undefined) consider(changesAtMs - nowMs)
  }
  return woken()
}
