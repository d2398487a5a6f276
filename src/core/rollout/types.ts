import type { NewBlocker } from '../../api/blocker.ts'
import type { Digest } from '../../object/object.ts'

/** The state of a cluster, `fleet/`: the first that applies. */
export type ClusterState =
  | 'Absent'
  | 'Deleting'
  | 'Refused'
  | 'Provisioning'
  | 'IdentityChanged'
  | 'Paused'
  | 'Unreachable'
  | 'Connected'

/** One unit of the module, as observed. */
export interface UnitView {
  readonly cluster: string
  /** Order within a stage: a hash of module and cluster, never the list's order or the name. */
  readonly order: string
  readonly clusterState: ClusterState
  /** Selected by the module's targets. */
  readonly selected: boolean
  /** There is a record or an Inventory. */
  readonly present: boolean
  /** The record says that the unit leaves. */
  readonly leaving: boolean
  readonly recordRevision: Digest | undefined
  readonly admittedRevision: Digest | undefined
  /** Admitted at the target, verified at the wanted gate digest, healthy. */
  readonly verified: boolean
  readonly healthy: boolean
  /** Well at the target, to which it has gone back before what it needs: it is verified again when that has gone, too. */
  readonly ahead: boolean
  /** The target's bundle is the one that is admitted, so that nothing would be written. */
  readonly sameContent: boolean
  /** At the target, Delivering or Verifying: the deadline runs. */
  readonly running: boolean
  /** A hard failure at the target, for people. */
  readonly failure: string | undefined
  /** What the unit waits for, where that is a gate. Empty: open. */
  readonly gate: readonly NewBlocker[]
}

export interface Target {
  readonly revision: Digest
  /** The first revision ever: every start is an Install. */
  readonly bundle: Digest
}

/** `spec.rollout`, as the API server has defaulted it. */
export interface RolloutPolicy {
  readonly strategy: 'Incremental' | 'Replace'
  readonly maxUnavailable?: number | string | undefined
  readonly maxFailed?: number | string | undefined
  readonly maxUnreachable?: number | string | undefined
  readonly minReadySeconds: number
  readonly progressDeadlineSeconds: number
  readonly onFailure: 'Halt'
}

export interface LedgerEntry {
  readonly cluster: string
  readonly revision: Digest
  readonly stage: string
  readonly kind: StartKind
  readonly runSeconds: number
  readonly readySeconds: number
  /** Set: it has failed. It stays, without a slot once tolerated, until done, retried or superseded. */
  readonly failed?: string | undefined
}

export type StartKind = 'Install' | 'Update' | 'Remove'

/** Accumulated milliseconds by cluster: finer than the ledger's seconds, and lost with the process. */
export type Clocks = ReadonlyMap<string, { readonly runMs: number; readonly readyMs: number }>

export interface ScheduleInput {
  /** Module or BootstrapModule and its name, for messages. */
  readonly module: string
  readonly deleting: boolean
  /** Undefined: nothing is published, or the module goes. */
  readonly target: Target | undefined
  readonly policy: RolloutPolicy
  readonly units: readonly UnitView[]
  readonly ledger: readonly LedgerEntry[]
  /** The revision at which the rollout is halted: latched until another is published. */
  readonly haltedAt: Digest | undefined
  /** Somebody has asked that what failed is tried again, and it is not under way yet. */
  readonly retry: boolean
  /** The revision whose rollout is complete, as the status says. */
  readonly completedAt: Digest | undefined
  readonly clocks: Clocks
  /** Milliseconds of the monotonic clock since the last decision of this process; 0 on the first. */
  readonly elapsedMs: number
}

export type Phase = 'Idle' | 'Removing' | 'Halted' | 'Waiting' | 'Progressing' | 'Complete'

export interface Start {
  readonly cluster: string
  readonly kind: StartKind | 'Reverify'
  readonly revision: Digest | undefined
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
  readonly provisioning: number
}

export interface ScheduleOutput {
  readonly start: readonly Start[]
  /** Assigned, not admitted, and overtaken: their records are taken back. */
  readonly withdraw: readonly string[]
  readonly phase: Phase
  readonly haltedAt: Digest | undefined
  /** What was asked to be tried again is under way. */
  readonly retried: boolean
  readonly ledger: readonly LedgerEntry[]
  readonly clocks: Clocks
  readonly counters: Counters
  readonly budgets: Readonly<Record<string, { readonly used: number; readonly max: number }>>
  readonly failed: readonly { readonly cluster: string; readonly message: string }[]
  readonly blockers: readonly NewBlocker[]
  /** Milliseconds until the same input would be decided differently. */
  readonly wakeInMs: number | undefined
}

/** The class of a unit; `classify.ts` has what each one means. The first that applies. */
export type UnitClass =
  | 'Gone'
  | 'Leaving'
  | 'Paused'
  | 'Unreachable'
  | 'Failed'
  | 'InFlight'
  | 'Unhealthy'
  | 'Done'
  | 'Reverify'
  | 'Blocked'
  | 'Candidate'
