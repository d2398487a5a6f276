/** What the rollouts of revisions came to: kept with the revision, for people and for the way back. */

import type { RequestError } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { ModuleStatus } from '../../api/kinds/index.ts'
import {
  COMPLETED_ANNOTATION,
  MANAGER,
  OUTCOME_ANNOTATION,
  OUTCOME_CLUSTERS_ANNOTATION,
} from '../../api/labels.ts'
import { records } from '../../api/records.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { findRevisionRecord, type RevisionRecord } from '../cache/index.ts'
import type { ModuleDeps } from './moduledeps.ts'

type RolloutEnd = 'Complete' | 'Halted' | 'RolledBack' | 'Superseded' | 'Undone'

export interface RolloutOutcome {
  readonly revision: string
  readonly outcome: RolloutEnd
  /** Of Complete. */
  readonly completedAt?: string
  /** How many clusters had it: `12/120`. */
  readonly clusters?: string
}

/** Read off a status that is committed, and the one before: whoever takes over finds the same. */
export function rolloutOutcomes(before: ModuleStatus | undefined, after: ModuleStatus): RolloutOutcome[] {
  const { revision, cause, completedAt, from, phase } = after.rollout ?? {}
  if (revision === undefined || cause === undefined) return []
  const out: RolloutOutcome[] = []
  const clusters = clustersOf(after)
  if (completedAt !== undefined) out.push({ revision, outcome: 'Complete', completedAt, ...clusters })
  else if (phase === 'Halted') out.push({ revision, outcome: 'Halted', ...clusters })
  const left = LEFT_BY[cause]
  const hadIt = before?.rollout?.revision === from ? clustersOf(before) : {}
  if (left && from !== undefined && from !== revision) out.push({ revision: from, outcome: left, ...hadIt })
  return out
}

/** What becomes of the revision that was wanted before. */
const LEFT_BY = {
  Publish: 'Superseded',
  Wait: undefined,
  Undo: 'Undone',
  Rollback: 'RolledBack',
  Dependency: 'RolledBack',
} as const

const clustersOf = (s: ModuleStatus | undefined): { clusters?: string } =>
  s?.updated === undefined ? {} : { clusters: s.updated }

/** Whether it says more than is known: what was complete, or halted, was so before it was superseded. */
export function isNewOutcome(
  o: RolloutOutcome,
  known: Pick<RevisionRecord, 'stored' | 'completedAt'>,
): boolean {
  const { [OUTCOME_ANNOTATION]: outcome, [COMPLETED_ANNOTATION]: completed } = known.stored.annotations ?? {}
  if (o.outcome === 'Complete') return completed !== o.completedAt
  if (o.outcome === 'Superseded') return outcome === undefined
  return outcome !== o.outcome
}

/** Writes what is new, a revision at a time. */
export async function saveRolloutHistory(
  c: ModuleDeps,
  ref: ModuleRef,
  before: ModuleStatus | undefined,
  after: ModuleStatus,
): Promise<Result<void, RequestError>> {
  for (const o of rolloutOutcomes(before, after)) {
    const known = findRevisionRecord(c.hub, ref, o.revision)
    if (!known || !isNewOutcome(o, known)) continue
    const annotations = {
      [OUTCOME_ANNOTATION]: o.outcome,
      ...(o.clusters === undefined ? {} : { [OUTCOME_CLUSTERS_ANNOTATION]: o.clusters }),
      ...(o.completedAt === undefined ? {} : { [COMPLETED_ANNOTATION]: o.completedAt }),
    }
    const { uid, resourceVersion } = known.stored
    const done = await c.hub.own.patch(
      records.revision,
      known,
      { metadata: { annotations } },
      {
        purpose: 'status',
        manager: MANAGER,
        precondition: { uid, resourceVersion },
      },
    )
    if (!done.ok && done.error.kind !== 'NotFound') return done
    if (done.ok) c.hub.revisions.observeWrite(done.value)
  }
  return ok(undefined)
}
