import { hasLasted } from '@lockstep/kube/env'
import type { Digest } from '@lockstep/kube/object'
import type { ClassifiedUnit, ClassifiedUnitDraft } from './stagerun.ts'
import type {
  InFlightEntry,
  ScheduleInput,
  TargetBundle,
  UnitAt,
  UnitClass,
  UnitClock,
  UnitView,
} from './types.ts'
import { isHeldBack } from './unitholds.ts'

/** Clusters whose units are counted as they reported last; nothing starts on those that are connecting. */
const IN_TOUCH: ReadonlySet<string> = new Set(['Connected', 'Connecting'])

/** Clusters that are in no total: nothing is expected of them, and nothing is taken from them. */
const GONE: ReadonlySet<string> = new Set(['Absent', 'Deleting', 'IdentityChanged', 'Provisioning'])

const NOWHERE: UnitAt = {
  verified: false,
  ahead: false,
  sameContent: false,
  running: false,
  failure: undefined,
  gate: [],
}

export interface ClassifyOptions {
  readonly target: TargetBundle | undefined
  /** Of who joins before its stage opens. */
  readonly joinAt: Digest | undefined
  /** More has failed than is tolerated: who joins now gets that, too, whatever is open. */
  readonly isDoubtful?: boolean | undefined
  readonly minReadyMs: number
  /** Its stage lets it move to the target. */
  readonly isOpen: boolean
  /** What has been installed gets nothing later: all that, or where a rollout leads back, all but what is led away. */
  readonly keeps?: ((there: Digest) => boolean) | undefined
}

/** `updates: Once`: what is installed stays what it is, but for a rollout that leads back from just that. */
export const keepsOf = ({
  policy,
  target,
  rolledBackFrom,
}: ScheduleInput): ((there: Digest) => boolean) | undefined =>
  policy.updates === 'Once' ? (there) => there !== target?.revision && there !== rolledBackFrom : undefined

/** Where those are to be until their stage opens that join before that. */
export const joinAtOf = ({ policy, lastComplete, target }: ScheduleInput): Digest | undefined =>
  policy.joining === 'Target' || lastComplete === target?.revision ? undefined : lastComplete

/** A unit in the rollout: its target revision, and its class towards that. */
export function classifyUnit(
  unit: UnitView,
  entry: InFlightEntry | undefined,
  clock: UnitClock,
  how: ClassifyOptions,
): ClassifiedUnitDraft {
  const targetRevision = unitTargetRevision(unit, entry, how)
  const standing = targetRevision === undefined ? NOWHERE : unit.at(targetRevision)
  // What it was installed with are its values, too.
  const at = how.keeps && standing.rebinds === true ? { ...standing, rebinds: false } : standing
  const found: ClassifiedUnitDraft = {
    unit,
    class: 'Absent',
    targetRevision,
    at,
    entry,
    clock,
    isOpen: how.isOpen,
    stage: undefined,
  }
  found.class = classify(found, how)
  return found
}

function unitTargetRevision(
  unit: UnitView,
  entry: InFlightEntry | undefined,
  { target, isOpen, joinAt, isDoubtful, keeps }: ClassifyOptions,
): Digest | undefined {
  const { hold } = unit
  if (hold?.action === 'Pin') return hold.revision
  // Where two pins differ, or nobody knows the revision, it stays where it is.
  if (hold?.action === 'Conflict' || hold?.action === 'Unknown') return unit.admittedRevision
  if (isExempt({ unit, entry }, keeps)) return unit.admittedRevision
  // What an older rollout has begun is delivered to its end, and moves on when the stage opens.
  const isUnderWay = entry && entry.kind !== 'Remove' && entry.failed === undefined
  if (target && isUnderWay && !isOpen && unit.admittedRevision === entry.revision) return entry.revision
  const { admittedRevision: there } = unit
  // Before its turn comes, what changes for this cluster alone is delivered to it where it is.
  if (!isOpen && !entry && there !== undefined && unit.at(there).rebinds) return there
  const isLate = !isOpen || (isDoubtful === true && !entry)
  const isJoining = target !== undefined && there === undefined && isLate
  return isJoining ? (joinAt ?? target.revision) : target?.revision
}

/** Of what is in no total: whatever its target revision, and whatever is open. */
export function outsideOf(unit: UnitView): 'Absent' | 'Leaving' | 'Pinned' | undefined {
  if (GONE.has(unit.clusterState)) return 'Absent'
  if (!unit.selected || unit.leaving)
    return unit.present && IN_TOUCH.has(unit.clusterState) ? 'Leaving' : 'Absent'
  return unit.hold && !isHeldBack(unit.hold) ? 'Pinned' : undefined
}

/** What is under way is not installed yet. */
export const isExempt = (
  { unit, entry }: Pick<ClassifiedUnit, 'unit' | 'entry'>,
  keeps: ClassifyOptions['keeps'],
): boolean =>
  keeps !== undefined &&
  entry === undefined &&
  unit.admittedRevision !== undefined &&
  keeps(unit.admittedRevision)

/** The class of one unit: the first row that applies. */
function classify(
  { unit, entry, clock, targetRevision, at }: Omit<ClassifiedUnit, 'class'>,
  { minReadyMs, keeps }: ClassifyOptions,
): UnitClass {
  const outside = outsideOf(unit) ?? (isExempt({ unit, entry }, keeps) ? 'Exempt' : undefined)
  if (outside) return outside
  if (unit.clusterState === 'Paused' || isHeldBack(unit.hold)) return 'Paused'
  if (!IN_TOUCH.has(unit.clusterState)) return 'Unreachable'
  if (targetRevision === undefined) return unit.present ? 'Done' : 'Blocked'
  if (isDone({ unit, at, targetRevision }) && (!entry || hasLasted(clock.readyMs, minReadyMs))) return 'Done'
  if (entry?.failed !== undefined && entry.revision === targetRevision) return 'Failed'
  // Others have to go before what it waits for: its slot is theirs.
  if (at.ahead) return 'Blocked'
  if (entry && entry.kind !== 'Remove') return 'InFlight'
  const isBlocked = at.gate.length > 0
  if (isAt({ unit, targetRevision }) && unit.healthy && !at.rebinds)
    return isBlocked ? 'Blocked' : 'VerifyOnly'
  if (at.sameContent && unit.healthy) return isBlocked ? 'Blocked' : 'VerifyOnly'
  if (unit.admittedRevision !== undefined && !unit.healthy) return 'Unhealthy'
  return isBlocked ? 'Blocked' : 'Candidate'
}

/** Assigned to its target revision, and admitted at it. */
export const isAt = ({ unit, targetRevision }: Pick<ClassifiedUnit, 'unit' | 'targetRevision'>): boolean =>
  targetRevision !== undefined &&
  unit.recordRevision === targetRevision &&
  unit.admittedRevision === targetRevision

/** Where it is to be, and well. */
export const isDone = ({
  unit,
  at,
  targetRevision,
}: Pick<ClassifiedUnit, 'unit' | 'targetRevision' | 'at'>): boolean =>
  isAt({ unit, targetRevision }) && at.verified && unit.healthy && !at.rebinds
