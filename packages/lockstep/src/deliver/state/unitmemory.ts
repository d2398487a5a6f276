import type { ConfigMap } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import type { NewBlocker } from '../../api/blocker.ts'
import type { InventoryObject } from '../../api/kinds/index.ts'
import type { CreateRecord } from '../drift/deletionfight.ts'
import type { DriftReverts } from '../drift/driftrevert.ts'
import type { UnitDesiredState } from '../plan/desiredstate.ts'
import type { RefusalSubject } from '../write/refusalsubject.ts'
import type { CheckpointTimes } from './checkpoint.ts'

/** A node that could not be done; tried again at `retryAt`. */
export interface NodeFailure extends NewBlocker {
  /** The content that failed: other content is tried at once. */
  readonly content: string
  /** Steady milliseconds. */
  readonly retryAt: number
  /** Nothing but time will help: the cluster did not answer. Not shown as failed. */
  readonly transient: boolean
  readonly tries: number
  /** When this content failed for the first time; steady milliseconds. */
  readonly since?: number
  /** A dry run has said so. */
  readonly dryRun?: true
  /** The object as it was refused; absent: it did not exist. */
  readonly subject?: RefusalSubject
  /** Steady milliseconds: not before that, though the object has changed. */
  readonly notBefore?: number
  /** The policy of a refused deletion. Another policy is tried at once. */
  readonly policy?: 'Prune' | 'Delete' | 'Orphan'
  /** Tries in a row that a change of the object has brought. */
  readonly changes?: number
}

export interface StampMemory {
  /** Of the admission that it was looked at for. */
  readonly serial: number
  readonly found: Stored<ConfigMap> | undefined
  /** The cluster's words where it lets us keep none. */
  readonly refused: string | undefined
}

/** Conditions on objects that are not delivered here. */
export interface WaitMemory {
  /** Of the admission that changed the content last. */
  readonly serial: number
  readonly met: ReadonlySet<string>
  /** Since when something stands still for it alone, in steady milliseconds. */
  readonly since: ReadonlyMap<string, number>
}

/**
 * What one process knows of a unit beyond the API: results of its own writes that are not recorded yet, and since when
 * something is seen. Losing it costs requests, never correctness.
 */
export interface UnitMemory {
  /** Applied in this pass, not yet in `spec.objects`. */
  readonly applied: Map<string, InventoryObject>
  readonly failures: Map<string, NodeFailure>
  /** What was put right, by object. */
  readonly repairs: Map<string, DriftReverts>
  /** Objects that this process created within a minute, or that others delete soon after each create. */
  readonly creates: Map<string, CreateRecord>
  /** When this process applied an object or first saw it, in steady milliseconds. */
  readonly since: Map<string, number>
  /** When this process last wrote an object: what it reports may be older for a moment. */
  readonly wroteAt: Map<string, number>
  readonly degradedSince: Map<string, number>
  /** Since when an object is healthy without a break. */
  readonly healthySince: Map<string, number>
  /** uids of what this process has deleted to make it anew: its cache may not know that yet. */
  readonly replaced: Map<string, string>
  /** Seen gone after our delete, or let go of, by object: of which uid. One with another uid has been made since. */
  readonly gone: Map<string, string>
  /** Deletes that were answered, by object: of which uid, and when. Their events are still to come. */
  readonly deleted: Map<string, { readonly uid: string; readonly at: number }>
  /** External objects in a Namespace, or of a kind, that was to be deleted, by identity; `retryAt`: steady. */
  readonly foreign: Map<string, { readonly uid: string; readonly content: string; readonly retryAt: number }>
  /** A consent to deletions could not be read when it was to be used: why, and when that is tried again (steady). */
  consentUnread: { readonly error: string; readonly retryAt: number } | undefined
  /** When this process last tried to create an object, in steady milliseconds: the outcome of some tries is not known. */
  readonly attempted: Map<string, number>
  /** Nonces of the intents that this process has written: nobody else has a request under way for them. */
  readonly announced: Set<string>
  /** Contents that a dry run was made of, by object. */
  readonly dryRuns: Map<string, string>
  /** When this process first looked at the unit. A predecessor's requests may still arrive for a while after that. */
  readonly bornAt: number
  /** Whether this was the first cluster to get what is admitted, at which admission. */
  first: { readonly serial: number; readonly is: boolean } | undefined
  /** Admission for which the API server has said that the account may write all of it. */
  reviewed: number | undefined
  /** Runs of hooks that this process has begun, by nonce. */
  readonly hookRuns: Map<string, HookRun>
  /** The last write to the cluster, in steady milliseconds. */
  lastWriteAt: number
  /** Texts that come of Secrets by bindings, and that no message may have. */
  hidden: readonly string[]
  /** The bundle as it was bound last, and of what. */
  bound: { readonly of: string; readonly desired: UnitDesiredState } | undefined
  lastStatusAt: number
  /** This process has deleted the Inventory. */
  isRemoved: boolean
  /** That it has failed was told of its set, and it was not well since. */
  readonly episode: { isTold?: boolean }
  /** Since when nothing may be written to it, in steady milliseconds. */
  stillSince: number | undefined
  /** Since when what is admitted has no ControllerRevision. */
  revisionMissingSince: number | undefined
  /** Of a checkpoint: since when its checks are as they are, at which admission. */
  checks: { readonly serial: number; readonly times: readonly CheckpointTimes[] } | undefined
  waits: WaitMemory | undefined
  /** The stamp on the cluster as this process last saw or wrote it, or why there is none. */
  stamp: StampMemory | undefined
  /** What was put right last, until the status says so. */
  repaired: { readonly message: string; readonly at: number } | undefined
}

export interface HookRun {
  /** Since when a create has no answer; steady milliseconds. */
  askedAt: number | undefined
  /** When its object was made, or seen; steady milliseconds. */
  madeAt: number | undefined
}

export const emptyMemory = (steady: number): UnitMemory => ({
  announced: new Set(),
  attempted: new Map(),
  deleted: new Map(),
  foreign: new Map(),
  bornAt: steady,
  consentUnread: undefined,
  dryRuns: new Map(),
  reviewed: undefined,
  first: undefined,
  applied: new Map(),
  failures: new Map(),
  repairs: new Map(),
  creates: new Map(),
  repaired: undefined,
  stamp: undefined,
  since: new Map(),
  wroteAt: new Map(),
  degradedSince: new Map(),
  healthySince: new Map(),
  replaced: new Map(),
  gone: new Map(),
  hookRuns: new Map(),
  hidden: [],
  bound: undefined,
  checks: undefined,
  waits: undefined,
  revisionMissingSince: undefined,
  stillSince: undefined,
  lastWriteAt: Number.NEGATIVE_INFINITY,
  lastStatusAt: Number.NEGATIVE_INFINITY,
  isRemoved: false,
  episode: {},
})
