/** The state of a cluster, and why, for people. Pure. */

import type { HostRefusal } from '@lockstep/kube/env'
import { timestamp } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { ClusterState } from '../../decisions/rollout/index.ts'
import { type ClusterView, clusterRef, clusterText } from './cluster.ts'
import type { CredentialEnd } from './clustercredential.ts'
import type { KnownCluster } from './clusterregistry.ts'

export interface ClusterCondition {
  readonly state: ClusterState
  readonly reason: NewBlocker['reason'] | undefined
  readonly message: string
  /** Why nothing is delivered to the cluster, or soon nothing can be. */
  readonly blocker?: NewBlocker
}

/** What is known of a connection. */
export interface SessionFacts {
  readonly state: 'Provisioning' | 'Unreachable' | 'Connected'
  readonly uid: string | undefined
  readonly problem: string | undefined
  /** When it began, by the wall clock, in milliseconds. */
  readonly problemSince: number | undefined
  readonly rejected: boolean
  /** Nothing is sent to its host. */
  readonly hostRefusal: HostRefusal | undefined
  /** Another program than a Kubernetes API answers. */
  readonly refusesAnswer: boolean
  /** An answer about a kind that another program than a Kubernetes API gave. */
  readonly refusedAnswer: string | undefined
  /** A kind whose watches deliver nothing, and the wall-clock milliseconds of its last event. */
  readonly muteWatch: { readonly kind: string; readonly since: number } | undefined
  readonly hidden: boolean
}

export interface ClusterConditionFacts {
  readonly view: ClusterView
  readonly session: SessionFacts | undefined
  readonly record: KnownCluster | undefined
  /** The credential ends soon, or has ended. */
  readonly credentialEnd?: CredentialEnd | undefined
  /** The last session ended by an exception, and the next one has not begun. */
  readonly bug?: string | undefined
  /** The same cluster, which another object knows. */
  readonly duplicateOf: ClusterView | undefined
}

/** The first rule that applies. */
export function clusterConditionOf(facts: ClusterConditionFacts): ClusterCondition {
  const { view, duplicateOf } = facts
  const on = [clusterRef(view)] as const
  if (view.deleting) return { state: 'Deleting', reason: undefined, message: `${view.name} is being deleted` }
  if (view.access.type === 'Refused')
    return because('Refused', blocked('CredentialRefused', on, { error: view.access.message }))
  if (facts.bug !== undefined)
    return because('Unreachable', blocked('InternalError', on, { error: facts.bug }))
  const early = beforeConnection(facts) ?? ofAnother(facts)
  if (early) return early
  if (duplicateOf) {
    const names = { object: clusterText(view), duplicateOf: clusterText(duplicateOf) }
    return because('Absent', blocked('DuplicateOf', [on[0], clusterRef(duplicateOf)], names))
  }
  if (view.paused !== undefined) return because('Paused', blocked('ClusterPaused', on, { by: view.paused }))
  if (facts.credentialEnd?.state === 'Expired')
    return because('Unreachable', blocked('CredentialExpired', on, endOf(facts.credentialEnd)))
  return ofSession(facts)
}

/** A point in time, so that the status is written once. */
const endOf = ({ of, endsAt }: CredentialEnd) => ({ credential: of, at: timestamp(endsAt) })

const because = (state: ClusterState, blocker: NewBlocker): ClusterCondition => ({
  state,
  reason: blocker.reason,
  message: blocker.message,
  blocker,
})

/** The status of the object counts only until the first connection: later it may be wrong for a while. */
function beforeConnection({ view, session, record }: ClusterConditionFacts): ClusterCondition | undefined {
  if (session) return undefined
  const on = [clusterRef(view)] as const
  const isKnown = record?.uid !== undefined
  if (view.access.type === 'Missing') {
    const missing = blocked('KubeconfigMissing', on, { error: view.access.message })
    return because(isKnown ? 'Unreachable' : 'Provisioning', missing)
  }
  if (view.initialized || isKnown) return undefined
  const state = { state: 'ControlPlane', object: clusterText(view) } as const
  return because('Provisioning', blocked('Provisioning', on, state))
}

function ofAnother({ view, session, record }: ClusterConditionFacts): ClusterCondition | undefined {
  const uid = session?.uid
  if (uid === undefined || record?.uid === undefined || record.uid === uid) return undefined
  if (isNewObject(record, view))
    return because('Provisioning', blocked('Provisioning', [clusterRef(view)], { state: 'Recording' }))
  return because('IdentityChanged', identityChanged(view, record.uid, uid))
}

/** A recreated object leads to a new cluster from the start. */
export const isNewObject = (record: KnownCluster, view: Pick<ClusterView, 'uid'>): boolean =>
  record.objectUid !== undefined && record.objectUid !== view.uid

export const identityChanged = (
  view: Pick<ClusterView, 'name' | 'namespace'>,
  recorded: string,
  uid: string | undefined,
): NewBlocker => blocked('IdentityChanged', [clusterRef(view)], { recorded, uid })

function ofConnected({ view, session, credentialEnd }: ClusterConditionFacts): ClusterCondition {
  const on = [clusterRef(view)] as const
  // A connection keeps its credential until the server rejects it.
  if (view.access.type === 'Missing')
    return because('Connected', blocked('KubeconfigMissing', on, { error: view.access.message }))
  if (session?.refusedAnswer !== undefined)
    return because('Connected', blocked('AnswerRefused', on, { error: session.refusedAnswer }))
  const mute = session?.muteWatch
  if (!mute && credentialEnd)
    return because('Connected', blocked('CredentialExpiring', on, endOf(credentialEnd)))
  if (!mute) return { state: 'Connected', reason: undefined, message: '' }
  const facts = { state: 'Mute', resource: mute.kind, since: timestamp(mute.since) } as const
  return because('Connected', blocked('WatchStale', on, facts))
}

function ofSession(facts: ClusterConditionFacts): ClusterCondition {
  const { view, session, record } = facts
  const on = [clusterRef(view)] as const
  const found = session?.state ?? 'Provisioning'
  // Reached before, as after a change of the leader.
  const state = found === 'Provisioning' && record?.uid !== undefined ? 'Connecting' : found
  const error = session?.problem
  if (state === 'Connected') return ofConnected(facts)
  if (session?.hostRefusal) return because('Refused', blocked('HostRefused', on, session.hostRefusal))
  if (session?.hidden) return because(state, blocked('IdentityUnreadable', on, {}))
  if (session?.rejected)
    return because(state, blocked('CredentialsRejected', on, { error: error ?? 'Unauthorized' }))
  if (session?.refusesAnswer && error !== undefined)
    return because(state, blocked('AnswerRefused', on, { error }))
  if (state === 'Provisioning' && error === undefined)
    return because(state, blocked('Provisioning', on, { state: 'Connecting' }))
  // A point in time, so that the status is written once while the cluster does not answer.
  const since = session?.problemSince === undefined ? undefined : timestamp(session.problemSince)
  if (state === 'Connecting') return because(state, blocked('ClusterConnecting', on, { error, since }))
  return because(state, blocked('ClusterUnreachable', on, { error, since }))
}
