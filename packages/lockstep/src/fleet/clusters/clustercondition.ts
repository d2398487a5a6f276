/** The state of a cluster, and why, for people. Pure. */

import { timestamp } from '@lockstep/kube/object'
import type { ClusterState } from '../../decisions/rollout/index.ts'
import { type ClusterView, clusterText } from './cluster.ts'
import type { KnownCluster } from './clusterregistry.ts'

export interface ClusterCondition {
  readonly state: ClusterState
  readonly reason:
    | 'ClusterUnreachable'
    | 'KubeconfigMissing'
    | 'CredentialRefused'
    | 'CredentialsRejected'
    | 'ClusterPaused'
    | 'DuplicateOf'
    | 'IdentityChanged'
    | 'IdentityUnreadable'
    | 'Provisioning'
    | undefined
  readonly message: string
}

/** What is known of a connection. */
export interface SessionFacts {
  readonly state: 'Provisioning' | 'Unreachable' | 'Connected'
  readonly uid: string | undefined
  readonly problem: string | undefined
  /** When it began, by the wall clock, in milliseconds. */
  readonly problemSince: number | undefined
  readonly rejected: boolean
  readonly hidden: boolean
}

export interface ClusterConditionFacts {
  readonly view: ClusterView
  readonly session: SessionFacts | undefined
  readonly record: KnownCluster | undefined
  /** The same cluster, which another object knows. */
  readonly duplicateOf: ClusterView | undefined
}

/** The first rule that applies. */
export function clusterConditionOf(facts: ClusterConditionFacts): ClusterCondition {
  const { view, duplicateOf } = facts
  if (view.deleting) return say('Deleting', undefined, `${view.name} is being deleted`)
  if (view.access.type === 'Refused') return say('Refused', 'CredentialRefused', view.access.message)
  const early = beforeConnection(facts) ?? ofAnother(facts)
  if (early) return early
  if (duplicateOf)
    return say(
      'Absent',
      'DuplicateOf',
      `${clusterText(view)} is the same cluster as ${clusterText(duplicateOf)}`,
    )
  if (view.paused !== undefined)
    return say('Paused', 'ClusterPaused', `${view.name} is paused by its ${view.paused}`)
  return ofSession(facts)
}

const say = (state: ClusterState, reason: ClusterCondition['reason'], message: string): ClusterCondition => ({
  state,
  reason,
  message,
})

/** What the object says of itself counts only until the cluster was reached once: later it may be wrong for a while. */
function beforeConnection({ view, session, record }: ClusterConditionFacts): ClusterCondition | undefined {
  if (session) return undefined
  const isKnown = record?.uid !== undefined
  if (view.access.type === 'Missing')
    return say(isKnown ? 'Unreachable' : 'Provisioning', 'KubeconfigMissing', view.access.message)
  if (!view.initialized && !isKnown)
    return say('Provisioning', 'Provisioning', `${clusterText(view)}: its control plane was not up yet`)
  return undefined
}

function ofAnother({ view, session, record }: ClusterConditionFacts): ClusterCondition | undefined {
  const uid = session?.uid
  if (uid === undefined || record?.uid === undefined || record.uid === uid) return undefined
  if (isNewObject(record, view))
    return say('Provisioning', 'Provisioning', `${view.name} is a new cluster: that is being written down`)
  return say('IdentityChanged', 'IdentityChanged', otherClusterText(view.name, record.uid, uid))
}

/** An object that was deleted and made again: what it names is another cluster from the start. */
export const isNewObject = (record: KnownCluster, view: Pick<ClusterView, 'uid'>): boolean =>
  record.objectUid !== undefined && record.objectUid !== view.uid

export const otherClusterText = (name: string, was: string, uid: string | undefined): string =>
  `${name} has another identity (kube-system ${uid}, was ${was}); restore its credential, or run: lockstep cluster accept ${name}`

function ofSession({ view, session }: ClusterConditionFacts): ClusterCondition {
  const state = session?.state ?? 'Provisioning'
  const problem = session?.problem
  if (state === 'Connected')
    // It goes on with what it has, until that is refused.
    return view.access.type === 'Missing'
      ? say(state, 'KubeconfigMissing', view.access.message)
      : say(state, undefined, '')
  if (session?.hidden)
    return say(state, 'IdentityUnreadable', `${view.name}: no right to get Namespace kube-system`)
  if (session?.rejected) return say(state, 'CredentialsRejected', `${view.name}: ${problem}`)
  // An instant, and nothing of the next try: it is said as long as it lasts, and written once.
  const since = session?.problemSince === undefined ? '' : ` (since ${timestamp(session.problemSince)})`
  if (state === 'Unreachable')
    return say(state, 'ClusterUnreachable', `${view.name}: ${problem ?? 'no answer'}${since}`)
  return say(
    state,
    problem ? 'ClusterUnreachable' : 'Provisioning',
    problem ? `${view.name}: ${problem}${since}` : `${view.name}: connecting`,
  )
}
