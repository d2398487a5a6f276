/**
 * `ResourcesApplied` over all sources and all clusters. Cluster API's condition is what the last cluster left in it: a
 * success there hides the failure of another one, and a source that is missing ends as True.
 */

import { blocked } from '../../api/blocker.ts'
import type { NewCondition } from '../../api/conditions.ts'
import type { ResourceSetSourceRef, V1Beta1Condition } from '../../api/kinds/index.ts'
import { type ClusterGroup, conditionMessage } from '../../api/reasons/index.ts'
import type { SourceProblem } from './sourceobjects.ts'

export const RESOURCES_APPLIED = 'ResourcesApplied'

/** Of a source that cannot be delivered to any cluster, or of a selector by which none can be found. */
export interface SourceFault {
  readonly reason: SourceProblem['reason'] | 'ResourceNotFound' | 'ClusterMatchFailed'
  readonly message: string
}

export const missingSource = (
  namespace: string,
  { kind, name }: ResourceSetSourceRef,
  index: number,
): SourceFault => ({
  reason: 'ResourceNotFound',
  message: `${kind} ${namespace}/${name} (spec.resources[${index}])`,
})

/** One object that a cluster has refused. No value of a Secret is in it. */
export interface SetObjectFailure {
  readonly source: ResourceSetSourceRef
  /** `creating Deployment kube-system/x: admission webhook … denied the request` */
  readonly message: string
  /** Not tried again before something changes. */
  readonly isFinal: boolean
}

export interface ClusterApplied {
  readonly cluster: string
  readonly isConnected: boolean
  /** All that can be read of the sources is delivered there, as it is now. Also of a cluster that is out of reach. */
  readonly isApplied: boolean
  /** In the order of the sources. */
  readonly failures: readonly SetObjectFailure[]
  /** Why nothing is tried there: `ClusterPaused`, `waits for c1, c2`. */
  readonly waiting?: string
}

/** The first that there is, is the reason. */
const REASONS = [
  'ClusterMatchFailed',
  'InvalidResource',
  'WrongSecretType',
  'ResourceNotFound',
  'NotApplied',
  'ClusterNotConnected',
] as const
type AppliedReason = (typeof REASONS)[number]

export interface AppliedResult {
  readonly reason: 'Applied' | AppliedReason
  readonly message: string
}

export function appliedOf(
  faults: readonly SourceFault[],
  clusters: readonly ClusterApplied[],
): AppliedResult {
  const lacking = clusters.filter((c) => !c.isApplied)
  const groups: ClusterGroup[] = [
    { reason: 'NotApplied', clusters: lacking.filter((c) => c.isConnected).map(named) },
    { reason: 'ClusterNotConnected', clusters: lacking.filter((c) => !c.isConnected).map(named) },
  ].filter((g) => g.clusters.length > 0)
  const reason = REASONS.find((r) => faults.some((f) => f.reason === r) || groups.some((g) => g.reason === r))
  const facts = { applied: clusters.length - lacking.length, total: clusters.length, groups }
  const counts = blocked('NotApplied', [], facts).message
  if (reason === undefined)
    return { reason: 'Applied', message: clusters.length === 0 ? 'no cluster is selected' : counts }
  const ofClusters = groups.length === 0 ? [] : [counts]
  return { reason, message: conditionMessage([...faultsText(faults, reason), ...ofClusters]) }
}

const named = ({ cluster, failures, waiting }: ClusterApplied) => ({
  cluster,
  detail: failures.length === 0 ? waiting : failuresText(failures),
})

function failuresText(failures: readonly SetObjectFailure[]): string {
  const { source, message } = failures[0]!
  const more = failures.length === 1 ? '' : `; and ${failures.length - 1} more`
  return `${source.kind} ${source.name}: ${message}${more}`
}

const MOST_FAULTS = 10

/** Those of the condition's own reason as they are, as Cluster API has it; the others behind theirs. */
function faultsText(faults: readonly SourceFault[], own: AppliedReason): string[] {
  const sorted = REASONS.flatMap((r) => faults.filter((f) => f.reason === r))
  const texts = sorted
    .slice(0, MOST_FAULTS)
    .map((f) => (f.reason === own ? f.message : `${f.reason}: ${f.message}`))
  return sorted.length > MOST_FAULTS ? [...texts, `and ${sorted.length - MOST_FAULTS} more sources`] : texts
}

export const appliedCondition = ({ reason, message }: AppliedResult): NewCondition => ({
  type: RESOURCES_APPLIED,
  status: reason === 'Applied' ? 'True' : 'False',
  reason,
  message,
})

export type NewV1Beta1Condition = Omit<V1Beta1Condition, 'lastTransitionTime'>

/** By what name v1beta1 knows it (`api/v1beta1/condition_consts.go` of the addons), and how bad it takes it to be. */
const LEGACY: Readonly<Record<AppliedReason, readonly [reason: string, severity: 'Warning' | 'Error']>> = {
  ClusterMatchFailed: ['ClusterMatchFailed', 'Warning'],
  InvalidResource: ['RetrievingResourceFailed', 'Warning'],
  WrongSecretType: ['WrongSecretType', 'Warning'],
  ResourceNotFound: ['RetrievingResourceFailed', 'Warning'],
  NotApplied: ['ApplyFailed', 'Warning'],
  ClusterNotConnected: ['RemoteClusterClientFailed', 'Error'],
}

/** A condition of v1beta1 that is True says nothing else. */
export function legacyApplied({ reason, message }: AppliedResult): NewV1Beta1Condition {
  if (reason === 'Applied') return { type: RESOURCES_APPLIED, status: 'True' }
  const [legacy, severity] = LEGACY[reason]
  return { type: RESOURCES_APPLIED, status: 'False', severity, reason: legacy, message }
}
