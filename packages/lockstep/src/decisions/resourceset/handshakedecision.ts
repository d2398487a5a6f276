/** Takeover from Cluster API's controller and hand-back to it: what is known decides, and nothing is applied twice. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { type ObjectMeta, parseTimestampMs } from '@lockstep/kube/object'
import {
  type BindingResource,
  CAPI_PAUSED,
  type ClusterResourceSet,
  PAUSED_BY_US,
  SET,
  type SetMode,
} from '../../api/kinds/index.ts'
import type { FactsOf } from '../../api/reasons/index.ts'

/** Merge patch of annotations; null takes one off. */
export type AnnotationPatch = Readonly<Record<string, string | null>>

/**
 * What holds Cluster API off; undefined: it is held off. A pause that is there already is the user's: from now on it stands
 * in an annotation of ours, in the same patch, so that no moment is without it.
 */
export function pausePatch({ annotations }: ObjectMeta): AnnotationPatch | undefined {
  const pause = annotations?.[CAPI_PAUSED]
  if (pause === PAUSED_BY_US) return undefined
  return { [CAPI_PAUSED]: PAUSED_BY_US, ...(pause === undefined ? {} : { [SET.paused]: 'true' }) }
}

/** Whether what the status says of a pause may be of an earlier one; `before` is the set as the pause was written to it. */
export const isPauseRequestedAgain = (before: ObjectMeta): boolean =>
  before.annotations?.[CAPI_PAUSED] === undefined

/** `capi-system/controller-leader-election-capi`; times of the hub, in milliseconds. */
export interface UpstreamLease {
  readonly name: string
  readonly renewedMs: number
  readonly durationMs: number
  /** When another holder got it; undefined: it says nothing of it. */
  readonly acquiredMs: number | undefined
}

export interface HandshakeFacts {
  /** When the pause was written. */
  readonly pausedMs: number
  /** When `Paused` was first seen True after the pause, and after `resetPaused` where that is due; undefined: not yet. */
  readonly acknowledgedMs: number | undefined
  /** There is a webhook configuration for `clusterresourcesets`. */
  readonly hasWebhooks: boolean
  readonly lease: UpstreamLease | undefined
  /** By annotation: a person says that nobody reconciles it. */
  readonly isAssumedInactive: boolean
}

export type HandshakeDecision =
  | { readonly kind: 'Proceed'; readonly because: 'Acknowledged' | 'Absent' | 'Expired' | 'AssumedInactive' }
  | {
      readonly kind: 'Wait'
      /** When time alone may change the answer; undefined: something has to happen. */
      readonly untilMs: number | undefined
      /** Of the condition `PreviousControllerActive`; undefined: it is too early to complain. */
      readonly why: FactsOf<'PreviousControllerActive'> | undefined
    }

const PATIENCE_MS = 60_000
/** A holder that has lost the Lease may still be at a reconcile that it began before. */
const RECENT_MS = 60_000
const FORMER_HOLDER_MS = 10_000

/** Whether Cluster API is out of the way. Nothing is written to any cluster before. */
export function decideHandshake(facts: HandshakeFacts, nowMs: number): HandshakeDecision {
  const { lease, acknowledgedMs, pausedMs } = facts
  if (facts.isAssumedInactive) return { kind: 'Proceed', because: 'AssumedInactive' }
  if (!lease && !facts.hasWebhooks) return { kind: 'Proceed', because: 'Absent' }
  if (acknowledgedMs !== undefined) return acknowledged(acknowledgedMs, lease, nowMs)
  const complainMs = pausedMs + PATIENCE_MS
  // Whoever starts later than that lists the set with its pause.
  const expiredMs = lease ? Math.max(lease.renewedMs + 2 * lease.durationMs, complainMs) : undefined
  if (expiredMs !== undefined && nowMs >= expiredMs) return { kind: 'Proceed', because: 'Expired' }
  if (nowMs < complainMs) return { kind: 'Wait', untilMs: complainMs, why: undefined }
  return { kind: 'Wait', untilMs: expiredMs, why: notAcknowledged(lease, nowMs) }
}

function acknowledged(sinceMs: number, lease: UpstreamLease | undefined, nowMs: number): HandshakeDecision {
  const acquiredMs = lease?.acquiredMs
  const isRecent = acquiredMs !== undefined && acquiredMs > sinceMs - RECENT_MS
  const untilMs = isRecent ? Math.max(sinceMs, acquiredMs) + FORMER_HOLDER_MS : sinceMs
  return nowMs >= untilMs
    ? { kind: 'Proceed', because: 'Acknowledged' }
    : { kind: 'Wait', untilMs, why: undefined }
}

function notAcknowledged(
  lease: UpstreamLease | undefined,
  nowMs: number,
): FactsOf<'PreviousControllerActive'> {
  if (!lease) return { controller: 'ClusterAPI' }
  const seconds = Math.max(0, Math.floor((nowMs - lease.renewedMs) / 1000))
  return { controller: 'ClusterAPI', lease: lease.name, seconds }
}

/** Clocks of two clusters are no further apart than this. */
const CLOCKS_MS = 300_000

/**
 * Whether what a binding says is about the cluster that is there now: Cluster API keeps the binding of a cluster that was
 * deleted and made anew unseen. Its `kube-system` says when it was made; objects on the hub do not, which moves and restores
 * make anew.
 */
export function entryCounts({ lastAppliedTime }: BindingResource, kubeSystemCreatedMs: number): boolean {
  const appliedMs = lastAppliedTime === undefined ? undefined : parseTimestampMs(lastAppliedTime)
  return appliedMs === undefined || appliedMs >= kubeSystemCreatedMs - CLOCKS_MS
}

/** In the words of the plan that people read. */
export type SourceAction = 'nothing' | 'metadata only' | 'apply (hash differs)' | 'apply (not applied)'

/** What a source needs on a cluster; `entry` only where it counts. */
export function sourceActionOf(
  mode: SetMode,
  entry: BindingResource | undefined,
  hash: string,
): SourceAction {
  if (!entry?.applied) return 'apply (not applied)'
  if (mode === 'ApplyOnce') return 'nothing'
  if (entry.hash !== hash) return 'apply (hash differs)'
  return mode === 'Reconcile' ? 'nothing' : 'metadata only'
}

/** Its field says what only a definition of ours has, and no annotation says so instead. */
export const isUnknownUpstream = (
  { metadata, spec }: Pick<ClusterResourceSet, 'metadata' | 'spec'>,
  isOwnDefinition: boolean,
): boolean =>
  !isOwnDefinition && spec.strategy === 'Continuous' && metadata.annotations?.[SET.mode] === undefined

/**
 * What gives it back, or why not. A user's pause is Cluster API's again; settings stay, which mean nothing to it. Conditions
 * go by `withoutOurs`, before this.
 */
export function handBackPatch({ metadata, spec }: ClusterResourceSet): Result<AnnotationPatch, string> {
  if (spec.strategy === 'Continuous')
    return err('set spec.strategy to Reconcile first: Cluster API does not know Continuous')
  const { annotations = {} } = metadata
  const userPause = annotations[SET.paused]
  const isPausedByUser = userPause !== undefined && userPause !== 'false'
  const pause: AnnotationPatch = isPausedByUser
    ? { [CAPI_PAUSED]: 'true', [SET.paused]: null }
    : annotations[CAPI_PAUSED] === PAUSED_BY_US
      ? { [CAPI_PAUSED]: null }
      : {}
  return ok({ [SET.managed]: null, ...pause })
}
