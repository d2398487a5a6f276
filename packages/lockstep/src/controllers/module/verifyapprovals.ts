/** Approvals at their use: a cache that is behind may know one that was taken back. */

import { usedFirst } from '../../decisions/rollout/index.ts'
import { isLiveApproval, unreadableApprovalText } from '../cache/index.ts'
import type { ModuleDeps } from './moduledeps.ts'
import {
  decideSchedule,
  type LiveApprovals,
  rememberDecision,
  type ScheduleDecision,
  type ScheduleRequest,
  type SchedulerDeps,
} from './schedule.ts'

/** What one live read each has shown of the Approvals that decisions were about to use. */
interface VerifiedApprovals extends LiveApprovals {
  readonly there: Set<string>
  readonly gone: Set<string>
  readonly unread: Map<string, string>
}

/**
 * By consents that are there: what a cache has of others does not count. One that cannot be read opens nothing, and says
 * why; all else goes on. `isBehind`: to be asked again without an event.
 */
export async function verifyApprovals(
  c: Pick<ModuleDeps, 'hub'> & SchedulerDeps,
  d: ScheduleRequest,
): Promise<ScheduleDecision & { readonly isBehind: boolean }> {
  const known: VerifiedApprovals = { there: new Set(), gone: new Set(), unread: new Map() }
  for (;;) {
    const decided = decideSchedule(c, d, known)
    const { approvals } = decided.input
    const { stages, early } = decided.rollout
    const used = new Set([...usedFirst(decided.input, stages), ...early])
    // Without one of them another may come to count.
    const asked = approvals.filter((a) => used.has(a.name) && !known.there.has(a.name))
    if (asked.length === 0) {
      rememberDecision(d.memory, decided)
      return { ...decided, isBehind: known.gone.size + known.unread.size > 0 }
    }
    for (const a of asked) {
      const isThere = await isLiveApproval(c.hub, d.ref, a)
      if (!isThere.ok) known.unread.set(a.name, unreadableApprovalText(isThere.error, d.ref))
      else (isThere.value ? known.there : known.gone).add(a.name)
    }
  }
}
