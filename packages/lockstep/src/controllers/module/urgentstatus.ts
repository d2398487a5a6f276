import { jsonEqual } from '@lockstep/kube/object'
import type { ModuleStatus } from '../../api/kinds/index.ts'

/**
 * Whether others act on what has changed: an entry of the ledger is a start's commitment, the revision is what dependants
 * wait for, and conditions and phases are what `kubectl wait` and alerts look at. Counters, clocks, blockers and texts can
 * wait; so can it that a start has come to its end, unless it holds a place that others wait for (`isShared`).
 */
export function isUrgentStatus(
  before: ModuleStatus | undefined,
  after: ModuleStatus,
  isShared = false,
): boolean {
  if (before === undefined) return true
  if (!jsonEqual(actedOn(before), actedOn(after))) return true
  const [was, is] = [entriesOf(before), entriesOf(after)]
  return [...is].some((e) => !was.has(e)) || (isShared && was.size > is.size)
}

/** Without clocks. */
const entriesOf = ({ rollout }: ModuleStatus): Set<string> =>
  new Set(
    (rollout?.ledger ?? []).map((e) =>
      JSON.stringify([e.cluster, e.revision, e.stage, e.kind, e.failed ?? null]),
    ),
  )

function actedOn(s: ModuleStatus) {
  return {
    observed: s.observedGeneration,
    handled: s.lastHandledReconcileAt ?? null,
    rehashed: s.lastHandledRehashAt ?? null,
    retried: s.lastHandledRetryAt ?? null,
    release: s.release ?? null,
    revision: s.currentRevision ?? null,
    bundle: s.bundle ?? null,
    rollout: s.rollout?.revision ?? null,
    cause: s.rollout?.cause ?? null,
    refused: s.rollout?.refused ?? null,
    phase: s.rollout?.phase ?? null,
    haltedAt: s.rollout?.haltedAt ?? null,
    failed: (s.rollout?.failed ?? []).map((f) => f.cluster),
    conditions: (s.conditions ?? []).map((c) => `${c.type}=${c.status}`),
  }
}
