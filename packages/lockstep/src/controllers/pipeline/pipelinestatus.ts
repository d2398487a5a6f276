/** The status of a Pipeline: written where it is another one. */

import { type Stored, timestamp } from '@lockstep/kube/object'
import { keepSince, type NewBlocker } from '../../api/blocker.ts'
import { mergeConditions, type NewCondition } from '../../api/conditions.ts'
import type { Pipeline, PipelineStatus } from '../../api/kinds/index.ts'
import { type EnvironmentDecision, isEnded } from '../../decisions/promotion/index.ts'
import type { StatusResult } from '../runtime/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'

const MOST_BLOCKERS = 10

export interface PipelineStatusInput {
  readonly looks: readonly EnvironmentDecision[]
  /** Of the pipeline itself: nothing is promoted. */
  readonly blockers: readonly NewBlocker[]
  readonly nowMs: number
}

export function pipelineStatus(
  pipeline: Stored<Pipeline>,
  { looks, blockers, nowMs }: PipelineStatusInput,
): PipelineStatus {
  const now = timestamp(nowMs)
  const old = pipeline.status
  const kept = (next: readonly NewBlocker[], before: Parameters<typeof keepSince>[1]) =>
    next.length === 0 ? {} : { blockers: keepSince(next.slice(0, MOST_BLOCKERS), before, now) }
  const generation = pipeline.metadata.generation ?? 0
  return {
    observedGeneration: generation,
    environments: looks.map(({ status, blockers: of, following = [] }) => ({
      ...status,
      ...kept([...of, ...following], old?.environments?.find((e) => e.name === status.name)?.blockers),
    })),
    ...kept(blockers, old?.blockers),
    conditions: mergeConditions(old?.conditions, conditions(looks, blockers, generation), now),
  }
}

/** Ready: all environments are settled where they are, and none is being promoted to. */
function conditions(
  looks: readonly EnvironmentDecision[],
  blockers: readonly NewBlocker[],
  observedGeneration: number,
): NewCondition[] {
  const [stalled] = blockers
  const said = (type: string, is: boolean, reason: string, message: string): NewCondition => ({
    type,
    status: is ? 'True' : 'False',
    reason,
    message,
    observedGeneration,
  })
  const moving = looks.filter(
    ({ status }) => status.phase !== undefined && !isEnded(status.phase as 'Pending'),
  )
  const unsettled = looks.find((l) => l.blockers.length > 0)
  const at = looks.map(({ status }) => `${status.name} ${status.settled?.revision ?? '-'}`).join(', ')
  if (stalled)
    return [
      said('Ready', false, stalled.reason, stalled.message),
      said('Reconciling', false, 'Stalled', ''),
      said('Stalled', true, stalled.reason, stalled.message),
    ]
  const progress = moving
    .map(({ status }) => `${status.name}: ${status.intent?.revision ?? ''} is ${status.phase}`)
    .join(', ')
  const isReady = moving.length === 0 && !unsettled
  const message = progress || unsettled?.blockers[0]?.message || at
  const reason = isReady ? 'Settled' : moving.length > 0 ? 'Promoting' : unsettled!.blockers[0]!.reason
  return [
    said('Ready', isReady, reason, message),
    said('Reconciling', !isReady, reason, isReady ? '' : message),
    said('Stalled', false, reason, ''),
  ]
}

/** Writes a status that differs; the next reconcile decides on the stored one. */
export const updatePipelineStatus = (
  { status }: Pick<PipelineDeps, 'status'>,
  pipeline: Stored<Pipeline>,
  seen: PipelineStatusInput,
): Promise<StatusResult<Pipeline>> => status.update('pipelines', pipeline, pipelineStatus(pipeline, seen))
