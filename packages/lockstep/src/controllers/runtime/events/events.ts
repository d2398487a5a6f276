/** What is worth an Event: read off a status that has just been written, and the one before. Pure. */

import { jsonEqual, short10 } from '@lockstep/kube/object'
import { aboutOf, isOfDependency } from '../../../api/blocker.ts'
import { RESOLVED_OLDER } from '../../../api/conditions.ts'
import type { ModuleStatus } from '../../../api/kinds/index.ts'
import {
  actorOf,
  type BlockerReason,
  type EventReason,
  type ReasonActor,
  type WaitRef,
} from '../../../api/reasons/index.ts'

/** Facts of a line of the log, beside its object. */
export interface LineFacts {
  readonly reason: string
  readonly revision?: string | undefined
  readonly release?: string | undefined
  readonly stage?: string | undefined
  /** Cause of a rollout. */
  readonly cause?: string | undefined
}

/** One thing that happened: an Event, and a line of the log. */
export interface EventNote extends Pick<LineFacts, 'revision' | 'release' | 'stage'> {
  readonly type: 'Normal' | 'Warning'
  readonly reason: BlockerReason | EventReason
  /** What the controller was doing: one word, as `action` of an Event. */
  readonly action: string
  readonly text: string
  /** What it is about: a revision; an object, manager and field; else facts without counts and times. */
  readonly of: string
  /** RFC 3339: when it happened, as far as the status says; absent: now. */
  readonly at?: string | undefined
  /** Level of its line in the log; absent: `warn` for a Warning, else `info`. */
  readonly level?: 'debug' | 'info' | undefined
  /** For programs that read Events. */
  readonly annotations?: Readonly<Record<string, string>>
}

type StoredBlocker = NonNullable<ReportedStatus['blockers']>[number]

export interface ReportedStatus {
  /** The admission that it describes. */
  readonly admittedSerial?: number | undefined
  readonly blockers?: readonly {
    readonly reason: string
    readonly message: string
    readonly since?: string
    readonly clusters?: readonly string[] | undefined
    readonly on?: readonly WaitRef[] | undefined
    readonly facts?: Readonly<Record<string, unknown>> | undefined
  }[]
  readonly lastDrift?: { readonly at: string; readonly message: string }
}

/** A module was published, is ready, or somebody has to do something. */
export function moduleEvents(before: ModuleStatus | undefined, after: ModuleStatus): EventNote[] {
  const notes: EventNote[] = []
  const { currentRevision, sourceRevision, release, clusters, rollout } = after
  const revision = rollout?.revision ?? currentRevision ?? ''
  // A revision that comes back is another rollout.
  const at = rollout?.startedAt ?? ''
  if (currentRevision !== undefined && currentRevision !== before?.currentRevision)
    notes.push({
      type: 'Normal',
      reason: 'Published',
      action: 'Publish',
      text: `${versionText(currentRevision, release)} (${sourceRevision})`,
      of: `${currentRevision} ${at}`,
      at: rollout?.revision === currentRevision ? rollout.startedAt : undefined,
      revision: currentRevision,
      release,
    })
  const isNew = !isReady(before) || before?.rollout?.revision !== rollout?.revision
  if (isReady(after) && isNew && clusters && clusters.total > 0)
    notes.push({
      type: 'Normal',
      reason: 'Complete',
      action: 'Rollout',
      text: `${versionText(revision, rollout?.release ?? release)} is ready on ${clusters.ready} of ${clusters.total} clusters`,
      // Between two of these it was not ready, of which people may have been warned.
      of: `${revision} ${at} ${readyOf(after)?.lastTransitionTime}`,
      at: readyOf(after)?.lastTransitionTime,
      revision,
      release: rollout?.release ?? release,
    })
  notes.push(...emptyStages(before, after))
  const older = warningOf(after)
  if (older && !warningOf(before))
    notes.push({
      type: 'Warning',
      reason: RESOLVED_OLDER,
      action: 'Publish',
      text: older.message,
      of: older.message,
    })
  return [...notes, ...warnings(before, after, 'Rollout', `${revision} ${at}`)]
}

/** `revision 0123456789 of release 2026.11`. */
const versionText = (revision: string, release: string | undefined): string =>
  `revision ${short10(revision)}${release === undefined ? '' : ` of release ${release}`}`

/** Stages that were passed with nobody in them: a rule that selects nobody is mostly a mistake. */
function emptyStages(before: ModuleStatus | undefined, after: ModuleStatus): EventNote[] {
  const isSame = before?.rollout?.revision === after.rollout?.revision
  const passed = new Set(
    (isSame ? (before?.rollout?.stages ?? []) : []).flatMap((s) =>
      s.completedAt === undefined ? [] : [s.name],
    ),
  )
  return (after.rollout?.stages ?? [])
    .filter((s) => s.completedAt !== undefined && s.total === 0 && !passed.has(s.name))
    .map(({ name, completedAt }) => ({
      type: 'Normal',
      reason: 'StageEmpty',
      action: 'Rollout',
      of: `${after.rollout?.revision} ${name}`,
      at: completedAt,
      stage: name,
      text: `stage ${name} has no clusters: spec.rollout.stages selects no cluster for it`,
    }))
}

/**
 * Somebody has to do something about what a unit delivers, or had done something, which was put right. What it depends on
 * is told of its module.
 */
export const unitEvents = (before: ReportedStatus | undefined, after: ReportedStatus): EventNote[] => [
  ...repairs(before, after),
  ...warnings(
    before,
    { blockers: after.blockers?.filter((b) => !isOfDependency(b)) ?? [] },
    'Deliver',
    `${after.admittedSerial ?? ''}`,
  ),
]

/** A credential ends soon. Other troubles of a cluster are reported for the Modules that wait for it. */
export const clusterEvents = (before: ReportedStatus | undefined, after: ReportedStatus): EventNote[] =>
  warnings(
    before,
    { blockers: after.blockers?.filter((b) => b.reason === 'CredentialExpiring') ?? [] },
    'Connect',
    '',
  )

function repairs(before: ReportedStatus | undefined, { lastDrift }: ReportedStatus): EventNote[] {
  if (!lastDrift || jsonEqual(lastDrift, before?.lastDrift)) return []
  const text = `drift reverted: ${lastDrift.message}`
  // Object, manager and field.
  const of = lastDrift.message
  return [{ type: 'Normal', reason: 'DriftReverted', action: 'Revert', text, of, at: lastDrift.at }]
}

const warningOf = (s: ModuleStatus | undefined) => s?.conditions?.find((c) => c.type === RESOLVED_OLDER)

const readyOf = (s: ModuleStatus | undefined) => s?.conditions?.find((c) => c.type === 'Ready')

const isReady = (s: ModuleStatus | undefined): boolean => readyOf(s)?.status === 'True'

/** A person ends these; the others pass, or end with a cause that has Events of its own. */
const RECORDED: ReadonlySet<ReasonActor> = new Set(['approver', 'author', 'owner', 'platform'])

/** Whether a person must end a problem with this reason. */
export function isRecordedReason(reason: string): boolean {
  const actor = actorOf(reason)
  return actor !== undefined && RECORDED.has(actor)
}

/** The line of a cluster or of its units has the cause already. Waits for a dependency have lines of the Module alone. */
export function warningLevel(b: StoredBlocker): 'debug' | undefined {
  if (b.on?.[0]?.kind === 'Cluster') return 'debug'
  return b.clusters !== undefined && !isOfDependency(b) ? 'debug' : undefined
}

/** Of the blockers that were not there before, one for each reason. `at`: rollout or admission; a later one has Events again. */
function warnings(
  before: ReportedStatus | undefined,
  after: ReportedStatus,
  action: string,
  at: string,
): EventNote[] {
  const known = new Set((before?.blockers ?? []).map((b) => b.reason))
  const notes: EventNote[] = []
  for (const b of after.blockers ?? []) {
    const { reason, message, since } = b
    if (known.has(reason) || !isRecordedReason(reason)) continue
    known.add(reason)
    notes.push({
      type: 'Warning',
      reason: reason as BlockerReason,
      action,
      text: message,
      of: `${at} ${aboutOf(b)}`,
      at: since,
      level: warningLevel(b),
    })
  }
  return notes
}
