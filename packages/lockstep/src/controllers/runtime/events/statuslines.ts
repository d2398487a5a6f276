/** Lines of the log that have no Event, from two statuses: the one before a write, and the written one. Pure. */
import { isOfDependency } from '../../../api/blocker.ts'
import type { InventoryStatus, ModuleStatus } from '../../../api/kinds/index.ts'
import { isRecordedReason, type LineFacts, type ReportedStatus, warningLevel } from './events.ts'

/** A change of a status that has no Event of its own. */
export interface StatusLine extends LineFacts {
  readonly level: 'debug' | 'info' | 'warn'
  readonly message: string
  /** RFC 3339: the line says how long it took since then. */
  readonly since?: string | undefined
}

/** Steps of a rollout, and the ends of warnings. */
export function moduleLines(before: ModuleStatus | undefined, after: ModuleStatus): StatusLine[] {
  const { rollout } = after
  const old = before?.rollout?.revision === rollout?.revision ? before?.rollout : undefined
  const facts = { revision: rollout?.revision, release: rollout?.release }
  const lines: StatusLine[] = []
  const add = (reason: string, message: string, stage?: string): void => {
    const { revision, release } = facts
    lines.push({ level: 'info', reason, message, revision, release, stage, cause: rollout?.cause })
  }
  if (rollout?.revision !== undefined && !old) add('RolloutStarted', 'the rollout started')
  const stages = new Map((old?.stages ?? []).map((s) => [s.name, s]))
  for (const { name, openedAt, completedAt, approvedBy } of rollout?.stages ?? []) {
    const known = stages.get(name)
    if (approvedBy !== undefined && known?.approvedBy === undefined)
      add('Approved', `stage ${name} was approved by ${approvedBy}`, name)
    if (openedAt !== undefined && known?.openedAt === undefined)
      add('StageStarted', `stage ${name} started`, name)
    if (completedAt !== undefined && known?.completedAt === undefined)
      add('StageComplete', `stage ${name} is complete`, name)
  }
  return [...lines, ...endedWarnings(before, after)]
}

/** A unit became ready at another revision, or after a failure; and the ends of warnings. */
export function unitLines(before: InventoryStatus | undefined, after: InventoryStatus): StatusLine[] {
  const isReady =
    isNewlyReady(before, after) ||
    (after.state === 'Ready' && after.revision !== undefined && before?.state === 'Failed')
  const since = readySince(before)
  const message = `${after.objects?.ready ?? 0} objects are ready`
  const ready: StatusLine = { level: 'info', reason: 'Ready', message, revision: after.revision, since }
  const own = (s: ReportedStatus | undefined) => ({
    blockers: s?.blockers?.filter((b) => !isOfDependency(b)),
  })
  return [...endedWarnings(own(before), own(after)), ...(isReady ? [ready] : [])]
}

/** Whether a unit became ready at another revision. */
export const isNewlyReady = (before: InventoryStatus | undefined, after: InventoryStatus): boolean =>
  after.state === 'Ready' && after.revision !== undefined && before?.revision !== after.revision

/** How a rollout ended with this status; undefined: it did not end with it. */
export function rolloutResult(
  before: ModuleStatus | undefined,
  after: ModuleStatus,
): 'Complete' | 'Halted' | 'RolledBack' | undefined {
  const { rollout } = after
  const old = before?.rollout?.revision === rollout?.revision ? before?.rollout : undefined
  if (rollout?.completedAt !== undefined && old?.completedAt === undefined) return 'Complete'
  const isNew = rollout?.phase !== before?.rollout?.phase
  return isNew && (rollout?.phase === 'Halted' || rollout?.phase === 'RolledBack') ? rollout.phase : undefined
}

/** Reasons that a person had to end, and that do not hold any more. */
function endedWarnings(before: ReportedStatus | undefined, after: ReportedStatus): StatusLine[] {
  const holding = new Set((after.blockers ?? []).map((b) => b.reason))
  const lines: StatusLine[] = []
  for (const b of before?.blockers ?? []) {
    if (holding.has(b.reason) || !isRecordedReason(b.reason)) continue
    holding.add(b.reason)
    const { reason, message, since } = b
    lines.push({ level: warningLevel(b) ?? 'info', reason, message: `ended: ${message}`, since })
  }
  return lines
}

const readySince = (s: InventoryStatus | undefined): string | undefined =>
  s?.conditions?.find((c) => c.type === 'Ready')?.lastTransitionTime
