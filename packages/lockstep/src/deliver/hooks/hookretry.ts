/** Hooks that somebody wants to run again (`lockstep rollout retry`). Pure. */
import type { HookRecord, InventorySpec } from '../../api/kinds/index.ts'

export type HookRetry = 'Failed' | 'All'

/** No content: the record is one of a run before, whatever is delivered. */
const BEFORE = -1

/** The spec that tries again. It counts as an admission: what was said of the one before says nothing of it. */
export function withHookRetry(spec: InventorySpec, asked: HookRetry): InventorySpec {
  const { admitted, hooks } = spec
  // What succeeded does not begin anew beside what runs.
  const which = hooks?.some((r) => r.state === 'Running') ? 'Failed' : asked
  if (!admitted || !hooks) return spec
  return {
    ...spec,
    admitted: { ...admitted, serial: admitted.serial + 1 },
    hooks: retried(hooks, which),
  }
}

/**
 * The records so that what failed gets one more attempt, and with `All` what succeeded runs anew. Hooks that ran because
 * of the failure may run again for the next one.
 */
function retried(records: readonly HookRecord[], which: HookRetry): HookRecord[] {
  return records.map((r) => {
    if (r.state === 'Running') return r
    if (r.phase === 'SyncFail' || (r.state === 'Succeeded' && which === 'All'))
      return { ...r, serial: BEFORE }
    if (r.state !== 'Failed') return r
    const { endedAt: _, ...rest } = r
    return { ...rest, attempts: Math.max(r.attempts, r.attempt + 1) }
  })
}
