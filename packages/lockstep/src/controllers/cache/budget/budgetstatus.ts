/** The status of a DisruptionBudget: pure. */

import type { Stored } from '@lockstep/kube/object'
import { mergeConditions, type NewCondition } from '../../../api/conditions.ts'
import type { DisruptionBudget, DisruptionBudgetStatus } from '../../../api/kinds/index.ts'
import { type DisruptionBudgetView, useText } from '../../../decisions/rollout/index.ts'

export function budgetStatus(
  { status: old, metadata }: Stored<DisruptionBudget>,
  view: DisruptionBudgetView,
  now: string,
): DisruptionBudgetStatus {
  const { clusters, disrupted, max, ledger, waiters } = view
  const { generation = 0 } = metadata
  return {
    observedGeneration: generation,
    clusters: clusters.size,
    disrupted: disrupted.size,
    allowed: max,
    use: `${disrupted.size}/${max}`,
    ...(ledger.length === 0 ? {} : { ledger: ledger.map((e) => ({ ...e })) }),
    ...(waiters.length === 0 ? {} : { waiters: waiters.map((w) => ({ ...w })) }),
    conditions: mergeConditions(old?.conditions, conditionsOf(view, generation), now),
  }
}

/** Full is no fault: it is ready, and does what it is for. */
function conditionsOf(view: DisruptionBudgetView, observedGeneration: number): NewCondition[] {
  const { reason, message } = stateOf(view)
  const isReady = reason === 'Counting'
  const condition = (type: string, holds: boolean, text: string): NewCondition => ({
    type,
    status: holds ? 'True' : 'False',
    reason,
    message: text,
    observedGeneration,
  })
  return [condition('Ready', isReady, message), condition('Stalled', !isReady, isReady ? '' : message)]
}

function stateOf(view: DisruptionBudgetView): { reason: string; message: string } {
  const { problem, clusters, max } = view
  if (problem !== undefined)
    return {
      reason: 'InvalidSpec',
      message: `${problem}; until it is corrected, nothing starts where it counts`,
    }
  if (clusters.size === 0)
    return { reason: 'SelectsNothing', message: 'it counts no cluster: none matches spec.clusterSelector' }
  const of = `of ${clusters.size} cluster${clusters.size === 1 ? '' : 's'}`
  if (max === 0)
    return { reason: 'Counting', message: `allows none ${of} to be disrupted: nothing starts there` }
  return { reason: 'Counting', message: `${useText(view)} disrupted, ${of}` }
}
