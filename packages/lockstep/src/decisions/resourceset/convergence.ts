/** `lockstep.dev/Converged`: in Continuous, whether all clusters are as the sources want them, and are known to be. */
import type { NewCondition } from '../../api/conditions.ts'
import { LABELS_PREFIX } from '../../api/labels.ts'
import { type ClusterGroup, conditionMessage, groupsText } from '../../api/reasons/index.ts'

export const CONVERGED = `${LABELS_PREFIX}/Converged`

/** The worst first; what is unknown is told where nothing is known to be amiss. */
const STATES = [
  'Failed',
  'FieldFight',
  'Drifted',
  'Waiting',
  'Updating',
  'ClusterNotConnected',
  'CheckOverdue',
] as const
const UNKNOWN: ReadonlySet<string> = new Set(['ClusterNotConnected', 'CheckOverdue'])

export interface ClusterConvergence {
  readonly cluster: string
  readonly state: 'InSync' | (typeof STATES)[number]
  /** `Deployment kube-system/x: .spec.replicas by kubectl` */
  readonly message?: string
}

/** `failedRemoval`: objects stay on clusters that are not selected any more. */
export function convergedCondition(
  clusters: readonly ClusterConvergence[],
  failedRemoval?: { readonly reason: string; readonly message: string },
): NewCondition {
  const groups: ClusterGroup[] = STATES.map((state) => ({
    reason: state,
    clusters: clusters
      .filter((c) => c.state === state)
      .map(({ cluster, message }) => ({ cluster, detail: message })),
  })).filter((g) => g.clusters.length > 0)
  const inSync = clusters.filter((c) => c.state === 'InSync').length
  const counts = `in sync on ${inSync} of ${clusters.length} clusters`
  const reason = groups[0]?.reason ?? failedRemoval?.reason
  const removal = failedRemoval ? [`${failedRemoval.reason}: ${failedRemoval.message}`] : []
  const selected = clusters.length === 0 ? ['no cluster is selected'] : [counts, ...groupsText(groups)]
  return {
    type: CONVERGED,
    status: reason === undefined ? 'True' : UNKNOWN.has(reason) ? 'Unknown' : 'False',
    reason: reason ?? 'InSync',
    message: conditionMessage([...selected, ...removal]),
  }
}
