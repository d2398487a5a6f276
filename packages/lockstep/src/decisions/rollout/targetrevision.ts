/** Which revision the fleet is to be at: the newest that is published, unless something speaks against it. */

import { type Digest, isNamed, short10 } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { namedModule } from '../graph/index.ts'
import type { RolloutPolicy } from './policy.ts'
import type { RolloutPhase } from './types.ts'

/** A revision that the history has. */
export interface HistoryRevision {
  readonly revision: Digest
  readonly release: string | undefined
  /** Wall clock, milliseconds: when a rollout of it was complete for the last time; undefined: never. */
  readonly completedAtMs: number | undefined
  /** Its bundle is there. */
  readonly isUsable: boolean
}

/** A dependency whose fleet is kept at another release than it has published. */
export interface DependencyRollback {
  /** Kind and name, for messages. */
  readonly module: string
  readonly published: string | undefined
  readonly wanted: string | undefined
}

/** What the status says of a rollout so far. */
export interface RolloutProgress {
  readonly revision?: Digest | undefined
  readonly cause?: TargetRevisionCause | undefined
  readonly phase?: RolloutPhase | undefined
  readonly haltedAt?: Digest | undefined
  readonly refused?: Digest | undefined
}

export interface TargetRevisionInput {
  /** Module or BootstrapModule and its name, for messages. */
  readonly module: string
  readonly published: Digest
  readonly policy: Pick<RolloutPolicy, 'onFailure' | 'supersede' | 'undo'>
  readonly history: readonly HistoryRevision[]
  readonly begun: RolloutProgress
  /** Somebody has asked that what failed is tried again. */
  readonly retry: boolean
  /** Over edges that want the same release. */
  readonly below: readonly DependencyRollback[]
  /**
   * The rollout under way may never end: it has nothing in flight and waits for others, or has failed wherever it has been,
   * or what it needs has left its release.
   */
  readonly isStuck: boolean
}

/** Publish: as published. Wait: an older rollout ends first. The others lead back. */
export type TargetRevisionCause = 'Publish' | 'Wait' | 'Undo' | 'Rollback' | 'Dependency'

export interface TargetRevision {
  readonly revision: Digest
  readonly cause: TargetRevisionCause
  /** It has failed, and is not started again until another is published, or a retry is asked for. */
  readonly refused?: Digest | undefined
  /** Of cause Dependency: which one. */
  readonly module?: string | undefined
  /** A wish that cannot be followed. */
  readonly problem?: NewBlocker | undefined
}

/** Phases in which a rollout has come to its end. */
const ENDED: ReadonlySet<RolloutPhase> = new Set<RolloutPhase>([
  'Idle',
  'Halted',
  'Complete',
  'CompletedWithFailures',
  'RolledBack',
])

export const isRolledBack = (cause: TargetRevisionCause): cause is 'Undo' | 'Rollback' | 'Dependency' =>
  cause === 'Undo' || cause === 'Rollback' || cause === 'Dependency'

/** Where the fleet of a module is to be, as its status says: what is published, unless it is led back from that. */
export const fleetRevision = (
  status:
    | { readonly currentRevision?: string; readonly rollout?: { readonly revision?: string } }
    | undefined,
): Digest | undefined =>
  status?.currentRevision === undefined ? undefined : (status.rollout?.revision ?? status.currentRevision)

/** The first that applies: what a person has undone, what has failed, what goes back with a dependency, what has to wait. */
export function targetRevisionOf(input: TargetRevisionInput): TargetRevision {
  const undone = undoneTo(input)
  if (undone && !undone.problem) return undone
  const found = failedTo(input) ?? followed(input) ?? waiting(input)
  const goal = found ?? { revision: input.published, cause: 'Publish' }
  return undone?.problem ? { ...goal, problem: undone.problem } : goal
}

function undoneTo({
  published,
  policy: { undo },
  history,
  module,
}: TargetRevisionInput): TargetRevision | undefined {
  if (!undo || !isNamed(published, undo.from)) return undefined
  const to = history.find((k) => isNamed(k.revision, undo.to))
  if (to?.isUsable) return { revision: to.revision, cause: 'Undo' }
  const known = history.filter((k) => k.isUsable && k.revision !== published).map((k) => short10(k.revision))
  return {
    revision: published,
    cause: 'Publish',
    problem: blocked('RollbackTargetUnknown', [namedModule(module)], { to: short10(undo.to), known }),
  }
}

/** The last complete one, once what is published has failed; nothing to go back to leaves the rollout halted. */
function failedTo(input: TargetRevisionInput): TargetRevision | undefined {
  const { published, begun, policy, retry, module } = input
  if (retry) return undefined
  const isRefused = begun.refused === published
  const hasFailed = policy.onFailure === 'Rollback' && begun.haltedAt === published
  if (!isRefused && !hasFailed) return undefined
  const to = lastComplete(input.history, published)
  if (to) return { revision: to.revision, cause: 'Rollback', refused: published }
  const problem = blocked('NothingToRollBackTo', [namedModule(module)], { revision: short10(published) })
  return { revision: published, cause: 'Publish', problem }
}

/** The one whose rollout was complete last, and whose content is there. */
export function lastComplete(history: readonly HistoryRevision[], but: Digest): HistoryRevision | undefined {
  let last: HistoryRevision | undefined
  for (const k of history) {
    if (k.revision === but || !k.isUsable || k.completedAtMs === undefined) continue
    if (last === undefined || k.completedAtMs > last.completedAtMs!) last = k
  }
  return last
}

/** With a dependency that is led back to a release at which this one has been, too. */
function followed({ published, history, below }: TargetRevisionInput): TargetRevision | undefined {
  const own = history.find((k) => k.revision === published)
  for (const { module, published: from, wanted } of below) {
    if (wanted === undefined || from === wanted || own?.release === undefined || own.release !== from)
      continue
    const to = lastComplete(
      history.filter((k) => k.release === wanted),
      published,
    )
    if (to) return { revision: to.revision, cause: 'Dependency', module }
  }
  return undefined
}

/** The newest waits for the one that is under way; what comes meanwhile takes its place. */
function waiting({
  published,
  policy,
  begun,
  history,
  module,
  isStuck,
}: TargetRevisionInput): TargetRevision | undefined {
  const { revision, phase, cause } = begun
  if (policy.supersede !== 'Wait' || revision === undefined || revision === published) return undefined
  if (isStuck) return undefined
  if (phase === undefined || ENDED.has(phase)) return undefined
  // What was led away from is not what has to end.
  if (cause !== undefined && isRolledBack(cause)) return undefined
  if (!history.some((k) => k.revision === revision && k.isUsable)) return undefined
  const facts = { revision: short10(published), running: short10(revision) }
  const problem = blocked('RolloutInProgress', [namedModule(module)], facts)
  return { revision, cause: 'Wait', problem }
}
