/**
 * What a host was asked for just before its promotion went on, by this process or another one that leads as well: it may still
 * arrive, and lists may not have it yet. Pure.
 */
import { parseTimestampMs } from '@lockstep/kube/object'
import type { PromotionState } from '../promotionstate.ts'

/** By then a request that was on its way has arrived, and lists have what came of it, in milliseconds. */
const LATE_MS = 70_000

/** Until when that may be so. Undefined: its phase has not begun. */
export function listDelayUntilMs({ status }: Pick<PromotionState, 'status'>): number | undefined {
  const since = parseTimestampMs(status.since ?? '')
  return since === undefined ? undefined : since + LATE_MS
}

/** Nothing is open of one that is deleted, and something may still come: it is looked at once more. Undefined: it may go. */
export const closingUntilMs = (p: Pick<PromotionState, 'status'>): number | undefined =>
  p.status.endedIn === 'Applying' ? listDelayUntilMs(p) : undefined
