import type { Calendar } from '@lockstep/kube/env'
import type { Digest } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { DisruptionBudgetView } from './budgets/disruption.ts'
import type { RolloutPolicy } from './policy.ts'
import type { UnitRemoval } from './removal/unitremoval.ts'
import type { ClockSkew } from './time/clockskew.ts'
import type { RolloutWaits } from './unitwait.ts'

/** The state of a cluster, `fleet/`: the first that applies. */
export type ClusterState =
  | 'Absent'
  | 'Deleting'
  | 'Refused'
  | 'Provisioning'
  | 'IdentityChanged'
  | 'Paused'
  | 'Connecting'
  | 'Unreachable'
  | 'Connected'

/** One unit of the module, as observed. */
export interface UnitView {
  readonly cluster: string
  readonly labels: Readonly<Record<string, string>>
  /** Order within a stage: a hash of module and cluster, never the list's order or the name. */
  readonly order: string
  readonly clusterState: ClusterState
  /** It counts as reached, and has not answered just now. */
  readonly suspected?: boolean | undefined
  /** Selected by the module's targets. */
  readonly selected: boolean
  /** There is a record or an Inventory. */
  readonly present: boolean
  /** The stage in which it was started last, as its record says. */
  readonly recordStage?: string | undefined
  /** The record says that the unit leaves. */
  readonly leaving: boolean
  readonly recordRevision: Digest | undefined
  readonly admittedRevision: Digest | undefined
  readonly healthy: boolean
  /** Of one that leaves: who relies on it and has to leave before. */
  readonly dependants: readonly NewBlocker[]
  /** Its removal; absent: none was requested, or the answer to the request is still to come. */
  readonly removal?: UnitRemoval | undefined
  /** What a Hold asks of this unit alone. */
  readonly hold?: UnitHold | undefined
  /** How it stands to a revision of the module. */
  at(revision: Digest): UnitAt
}

/** A unit seen from one revision of its module. */
export interface UnitAt {
  /** Admitted at it, verified at the wanted gate digest. */
  readonly verified: boolean
  /** Well at it, to which it has gone back before what it needs: it is verified again when that has gone, too. */
  readonly ahead: boolean
  /** Its bundle, and what its bindings are, is what is admitted, so that nothing would be written. */
  readonly sameContent: boolean
  /** Assigned and admitted to it, and its bindings have other values since. */
  readonly rebinds?: boolean
  /** At it, Delivering or Verifying: the deadline runs. */
  readonly running: boolean
  /** At it, and nothing is left but what a person confirms: no deadline runs, and its Module shows the wait. */
  readonly waitsForPerson?: boolean
  /** What it has not got done, while it runs: for people. */
  readonly lacks?: string | undefined
  /** A hard failure at it, for people. */
  readonly failure: string | undefined
  /** What its edges keep it waiting for. Empty: open. */
  readonly gate: readonly NewBlocker[]
  /** It goes back, and a unit that it relies on, whose turn it is, waits for that. */
  readonly demanded?: boolean
}

/** Effect of the Holds on one unit: Suspend wins over Pause, Pause over Pin; two pins at different revisions are a conflict. */
export type UnitHold =
  | { readonly action: 'Suspend' | 'Pause'; readonly by: string }
  | { readonly action: 'Pin'; readonly by: string; readonly revision: Digest }
  | { readonly action: 'Conflict'; readonly by: string; readonly and: string }
  /** To what the history does not have: it stays where it is. */
  | { readonly action: 'Unknown'; readonly by: string; readonly wanted: string }

export interface TargetBundle {
  readonly revision: Digest
  readonly bundle: Digest
}

/** A consent, as far as a rollout looks at it. */
export interface ApprovalView {
  readonly name: string
  readonly stage: string
  readonly point: 'Before' | 'After'
  /** In full, or its first ten digits. */
  readonly revisionHash: string
  readonly approvedBy: string
  /** It is to be used, and cannot be read live just now: why, and what to do. */
  readonly unread?: string | undefined
}

/** What a rollout remembers of a stage. */
export interface StageState {
  readonly name: string
  readonly cut?: string | undefined
  readonly openedAt?: string | undefined
  /** Set once all members were done: how long that has been so. */
  readonly soakSeconds?: number | undefined
  readonly approvedBy?: string | undefined
  readonly completedAt?: string | undefined
}

/** A stage, for people. */
export interface StageStatus extends StageState {
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly unreachable: number
  readonly pinned: number
}

export interface InFlightEntry {
  readonly cluster: string
  readonly revision: Digest
  readonly stage: string
  readonly kind: StartKind
  readonly runSeconds: number
  readonly readySeconds: number
  /**
   * Set: it has failed. It stays, without a slot once tolerated, until done, retried or superseded; a removal also until the
   * cluster no longer refuses it.
   */
  readonly failed?: string | undefined
  /** It was done before in this rollout, and was not well any more. */
  readonly again?: true | undefined
}

export type StartKind = 'Install' | 'Update' | 'Remove' | 'PinMove' | 'Rebind' | 'RollBack'

/** Accumulated milliseconds of one cluster, and what it was doing when they were counted last. */
export interface UnitClock {
  readonly runMs: number
  readonly readyMs: number
  readonly isRunning: boolean
  readonly isReady: boolean
  /** For so long its entry has been seen with nothing of it on the cluster's record. Absent: it is there. */
  readonly unassignedMs?: number | undefined
}

/** By cluster: finer than the ledger's seconds, and lost with the process. */
export type UnitClocks = ReadonlyMap<string, UnitClock>

export interface ScheduleInput {
  /** Module or BootstrapModule and its name, for messages. */
  readonly module: string
  readonly deleting: boolean
  /** Undefined: nothing is published, or the module goes. */
  readonly target: TargetBundle | undefined
  readonly policy: RolloutPolicy
  /** The target is a revision that is led back to, and by what. */
  readonly rollbackCause?: 'Undo' | 'Rollback' | 'Dependency' | undefined
  /** The revision that it leads back from. */
  readonly rolledBackFrom?: Digest | undefined
  /** What was complete last, for those that join before their stage opens. */
  readonly lastComplete?: Digest | undefined
  readonly units: readonly UnitView[]
  readonly ledger: readonly InFlightEntry[]
  /** By cluster: seconds for which it has run in this rollout, where it was not well again after it was done. */
  readonly ran?: ReadonlyMap<string, number> | undefined
  /** Entries, by `entryId`, of which it is known that no record is there, and that none is under way. */
  readonly takenBack?: ReadonlySet<string> | undefined
  /**
   * Of a ClusterResourceSet: a halt ends where all that has failed is well, and what is unhealthy at the target keeps no new
   * cluster from its first delivery.
   */
  readonly ofSet?: boolean | undefined
  /** The revision at which the rollout is halted: latched until another is published. */
  readonly haltedAt: Digest | undefined
  /** Units to remove when the first of those that are still there was counted. */
  readonly removalTotal?: number | undefined
  /** Somebody has asked that what failed is tried again, and it is not under way yet. */
  readonly retry: boolean
  /** The revision whose rollout is complete, as the status says. */
  readonly completedAt: Digest | undefined
  /** Of the target's rollout; empty: it has not begun. */
  readonly stages: readonly StageState[]
  readonly approvals: readonly ApprovalView[]
  /** A Hold on the whole module: its name. */
  readonly heldBy: string | undefined
  /** True if that Hold suspends: nothing is written, and drift is not reverted. */
  readonly isSuspended?: boolean | undefined
  /** What keeps a stage from being complete besides its members: its objects at the hub. By stage of the policy. */
  readonly gates: ReadonlyMap<string, readonly NewBlocker[]>
  /** DisruptionBudgets of the namespace; absent: there are none. */
  readonly budgets?: readonly DisruptionBudgetView[] | undefined
  readonly clocks: UnitClocks
  /** By stage: milliseconds for which all members have been done; finer than the state's seconds. */
  readonly soaks: ReadonlyMap<string, number>
  /** Milliseconds that have passed since the last decision of this process, at least; 0 on the first. */
  readonly elapsedMs: number
  /** By so many milliseconds what begins now may begin later than it seems: what is counted begins at less than nothing. */
  readonly lateMs?: number | undefined
  /** Wall-clock time of the hub's API server, milliseconds. */
  readonly nowMs: number
  /** For windows. */
  readonly calendar: Calendar
  /** Where our clock and that one differ too much to trust either. */
  readonly skewMs: ClockSkew
}

export type RolloutPhase =
  | 'Idle'
  | 'Removing'
  | 'Halted'
  | 'Paused'
  | 'Waiting'
  | 'Progressing'
  | 'Complete'
  | 'CompletedWithFailures'
  | 'RollingBack'
  | 'RolledBack'

export interface UnitStart {
  readonly cluster: string
  readonly kind: StartKind | 'VerifyOnly'
  readonly revision: Digest | undefined
  /** DisruptionBudgets that count its cluster: it is written down in these before it starts. Absent: none. */
  readonly takes?: readonly string[]
}

export interface Counters {
  readonly total: number
  readonly updated: number
  readonly ready: number
  readonly updating: number
  readonly blocked: number
  readonly waiting: number
  readonly failed: number
  readonly unreachable: number
  readonly paused: number
  readonly pinned: number
  readonly provisioning: number
}

/** Removals of a Module, counted together. */
export interface RemovalCounts {
  /** Units to remove, those that are gone included. */
  readonly total: number
  /** Units that are still there. */
  readonly left: number
  readonly failed: number
  readonly maxFailed: number
}

export interface ScheduleOutput {
  readonly start: readonly UnitStart[]
  /** Assigned, not admitted, and overtaken: their records are taken back. Their slots are free once that is so. */
  readonly withdraw: readonly string[]
  readonly phase: RolloutPhase
  /** The first stage that is not complete. */
  readonly stage: string | undefined
  readonly stages: readonly StageStatus[]
  readonly soaks: ReadonlyMap<string, number>
  readonly haltedAt: Digest | undefined
  /** What was asked to be tried again is under way. */
  readonly retried: boolean
  readonly ledger: readonly InFlightEntry[]
  readonly ran: ReadonlyMap<string, number>
  readonly clocks: UnitClocks
  readonly counters: Counters
  readonly budgets: Readonly<Record<string, { readonly used: number; readonly max: number }>>
  /** Undefined: there is nothing to remove. */
  readonly removals: RemovalCounts | undefined
  /** Approvals by whose names something starts before its stage has its turn. */
  readonly early: readonly string[]
  /** DisruptionBudgets in which a cluster found no place. */
  readonly awaited: readonly string[]
  readonly failed: readonly { readonly cluster: string; readonly message: string }[]
  readonly blockers: readonly NewBlocker[]
  /** Waits of single units. */
  readonly waits: RolloutWaits
  /** Milliseconds until the same input would be decided differently. */
  readonly changesInMs: number | undefined
  /** Milliseconds until then, or until the clocks should be stored. */
  readonly wakeInMs: number | undefined
}

/** The class of a unit; `classify.ts` has what each one means. The first that applies. */
export type UnitClass =
  | 'Absent'
  | 'Leaving'
  | 'Pinned'
  | 'Exempt'
  | 'Paused'
  | 'Unreachable'
  | 'Failed'
  | 'InFlight'
  | 'Unhealthy'
  | 'Done'
  | 'VerifyOnly'
  | 'Blocked'
  | 'Candidate'
