/** All conditions of a ClusterResourceSet from what is known of its sources and clusters. */
import type { NewCondition } from '../../api/conditions.ts'
import type { SetMode } from '../../api/kinds/index.ts'
import { LABELS_PREFIX } from '../../api/labels.ts'
import { conditionMessage } from '../../api/reasons/index.ts'
import {
  type AppliedResult,
  appliedCondition,
  appliedOf,
  type ClusterApplied,
  legacyApplied,
  type NewV1Beta1Condition,
  type SourceFault,
} from './appliedcondition.ts'
import { type ClusterConvergence, convergedCondition } from './convergence.ts'
import type { SetDeletionCause } from './deletionconditions.ts'

export const MANAGED = `${LABELS_PREFIX}/Managed`
export const PAUSED = 'Paused'

export interface SetClusterFacts extends ClusterApplied {
  /** In Continuous. */
  readonly convergence?: Omit<ClusterConvergence, 'cluster'>
}

export interface SetConditionFacts {
  readonly generation: number
  readonly mode: SetMode
  /** Settings that are not valid, each with what to write instead. */
  readonly badSettings: readonly string[]
  /** What only the revision as a whole is refused for: one object twice, a circle of dependencies. */
  readonly refusals: readonly { readonly reason: string; readonly message: string }[]
  readonly sources: readonly SourceFault[]
  readonly clusters: readonly SetClusterFacts[]
  /** In Continuous: removals from deselected clusters that have failed. */
  readonly failedRemoval?: SetDeletionCause | undefined
  /** Whether it is ours; with a text: why not yet. Undefined: nobody had it before, or it has been asked for just now. */
  readonly takeover: 'TakenOver' | { readonly previousActive: string } | undefined
  /** By its user: the pause with which Cluster API is held off is none. */
  readonly isPaused: boolean
  /** Then `Paused` is Cluster API's. */
  readonly isUpstreamRunning: boolean
}

export interface SetConditionLists {
  readonly conditions: readonly NewCondition[]
  /** For v1beta1: what Cluster API has there, and what kstatus reads. */
  readonly legacy: readonly NewV1Beta1Condition[]
}

export function setConditions(facts: SetConditionFacts): SetConditionLists {
  const applied = appliedOf(facts.sources, facts.clusters)
  const converged =
    facts.mode === 'Continuous' ? convergedCondition(convergences(facts), facts.failedRemoval) : undefined
  const summary = summaryOf(facts, applied, converged)
  const managed = managedCondition(facts)
  const all: NewCondition[] = [
    appliedCondition(applied),
    ...(converged ? [converged] : []),
    ...summary,
    ...managed,
    ...pausedCondition(facts),
  ]
  return {
    conditions: all.map((c) => ({ ...c, observedGeneration: facts.generation })),
    legacy: [legacyApplied(applied), ...[...summary, ...managed].map(legacyOf)],
  }
}

const convergences = ({ clusters }: SetConditionFacts): ClusterConvergence[] =>
  clusters.map(({ cluster, isConnected, convergence }) => {
    if (!isConnected) return { cluster, state: 'ClusterNotConnected' }
    return { state: 'Updating', ...convergence, cluster }
  })

interface ConditionCause {
  readonly reason: string
  readonly message: string
}

/** What nothing but a change of the set, of a source or of who is in charge ends; the first counts. */
function obstacle(
  { badSettings, takeover, refusals, sources }: SetConditionFacts,
  applied: AppliedResult,
): ConditionCause | undefined {
  if (badSettings.length > 0) return { reason: 'InvalidSetting', message: conditionMessage(badSettings) }
  if (typeof takeover === 'object')
    return { reason: 'PreviousControllerActive', message: takeover.previousActive }
  const [refusal] = refusals
  if (refusal) return { reason: refusal.reason, message: conditionMessage(refusals.map((r) => r.message)) }
  return sources.length > 0 ? applied : undefined
}

/** Everything that is left to do has been refused for good. */
const isGivenUp = ({ clusters }: SetConditionFacts): boolean => {
  const lacking = clusters.filter((c) => !c.isApplied)
  return lacking.length > 0 && lacking.every((c) => c.failures.some((f) => f.isFinal))
}

/** As kstatus reads them: exactly one of the three is True, unless a pause keeps what is not done from being done. */
function summaryOf(
  facts: SetConditionFacts,
  applied: AppliedResult,
  converged: NewCondition | undefined,
): NewCondition[] {
  const stuck = obstacle(facts, applied) ?? (isGivenUp(facts) ? applied : undefined)
  // A check that is late has found nothing; whoever waits for the set need not wait for it.
  const isConverged = !converged || converged.status === 'True' || converged.reason === 'CheckOverdue'
  const isReady = !stuck && applied.reason === 'Applied' && isConverged
  const { reason, message } = stuck ?? (applied.reason === 'Applied' && converged ? converged : applied)
  const isAtWork = !isReady && !stuck && !facts.isPaused
  return [
    { type: 'Ready', status: isReady ? 'True' : 'False', reason, message },
    {
      type: 'Reconciling',
      status: isAtWork ? 'True' : 'False',
      reason: isAtWork ? reason : facts.isPaused && !isReady && !stuck ? 'Paused' : 'NotReconciling',
      message: isAtWork ? message : '',
    },
    {
      type: 'Stalled',
      status: stuck ? 'True' : 'False',
      reason: stuck ? reason : 'NotStalled',
      message: stuck ? message : '',
    },
  ]
}

function managedCondition({ takeover }: SetConditionFacts): NewCondition[] {
  if (takeover === undefined) return []
  if (takeover === 'TakenOver') return [{ type: MANAGED, status: 'True', reason: takeover, message: '' }]
  const message = takeover.previousActive
  return [{ type: MANAGED, status: 'False', reason: 'PreviousControllerActive', message }]
}

/** In Cluster API's words, where it is not there to say it. */
function pausedCondition({ isPaused, isUpstreamRunning }: SetConditionFacts): NewCondition[] {
  if (isUpstreamRunning) return []
  if (!isPaused) return [{ type: PAUSED, status: 'False', reason: 'NotPaused', message: '' }]
  const message = `ClusterResourceSet has the ${LABELS_PREFIX}/paused annotation`
  return [{ type: PAUSED, status: 'True', reason: 'Paused', message }]
}

export const legacyOf = ({ type, status, reason, message }: NewCondition): NewV1Beta1Condition => {
  const isGood = type === 'Ready' || type === MANAGED
  const isBad = isGood ? status !== 'True' : type === 'Stalled' && status === 'True'
  return { type, status, ...(isBad ? { severity: 'Warning' as const } : {}), reason, message }
}
