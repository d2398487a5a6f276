import type { UnitInput } from '../state/unitinput.ts'
import { REQUEST_EXPIRY_MS } from '../step/intents.ts'

/**
 * No request that makes this run can arrive any more: until then what has its name stays, so that a late one finds it
 * taken and nothing runs twice.
 */
export const isHookSettled = (nonce: string, input: UnitInput): boolean => hookSettledInMs(nonce, input) === 0

/** Milliseconds. */
export function hookSettledInMs(
  nonce: string,
  { memory, steady }: Pick<UnitInput, 'memory' | 'steady'>,
): number {
  const run = memory.hookRuns.get(nonce)
  // A run that this process has begun has no requests but its own.
  const last = run ? run.askedAt : memory.bornAt
  return last === undefined ? 0 : Math.max(0, last + REQUEST_EXPIRY_MS - steady)
}
