/**
 * When a status is written. What others act on is written at once; what only tells people how far things are waits for a
 * moment, so that a unit that passes through quickly costs no write of its own.
 */
import type { ModuleStatus } from '../api/kinds/module.ts'
import { jsonEqual } from '../object/object.ts'

/** Since when (monotonic milliseconds) what is stored differs from what is so. One for each object. */
export interface Held {
  since: number | undefined
}

/** Milliseconds until the difference has lasted for `holdMs`; 0: write now. */
export function holdFor(held: Held, now: number, holdMs: number): number {
  held.since ??= now
  return Math.max(0, held.since + holdMs - now)
}

/**
 * Whether others act on what has changed: the ledger is a start's commitment, the revision is what dependants wait for,
 * and conditions and phases are what `kubectl wait` and alerts look at. Counters, clocks, blockers and texts can wait.
 */
export function isUrgent(before: ModuleStatus | undefined, after: ModuleStatus): boolean {
  return before === undefined || !jsonEqual(actedOn(before), actedOn(after))
}

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
    ledger: (s.rollout?.ledger ?? []).map(({ runSeconds: _run, readySeconds: _ready, ...entry }) => ({
      ...entry,
      failed: entry.failed ?? null,
    })),
    conditions: (s.conditions ?? []).map((c) => `${c.type}=${c.status}`),
  }
}
