/** What a Module's status and annotations say of its rollout so far. */
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import { RETRY_ANNOTATION } from '../../api/labels.ts'
import {
  clustersOfRetry,
  type ScheduleInput,
  type ScheduleOutput,
  type TargetBundle,
  WHOLE_STAGE,
} from '../../decisions/rollout/index.ts'

/** The stage in which a cluster was started; what is only verified again is in none. */
export const stageOf = ({ ledger }: ScheduleOutput, cluster: string): string =>
  ledger.find((e) => e.cluster === cluster)?.stage ?? WHOLE_STAGE

/** Progress of the rollout of one target. */
export type RolloutState = Pick<ScheduleInput, 'completedAt' | 'stages' | 'ran'>

/** Progress of the rollout of `target`; that of another target does not count. */
export function rolloutProgress({ status }: Stored<Module>, target: TargetBundle | undefined): RolloutState {
  const rollout = status?.rollout
  if (!rollout || !target || rollout.revision !== target.revision)
    return { completedAt: undefined, stages: [] }
  const isComplete = rollout.completedAt !== undefined || rollout.phase === 'Complete'
  return {
    completedAt: isComplete ? target.revision : undefined,
    // A stage without clusters is not passed for a cluster that is selected later.
    stages: !isComplete && rollout.phase === 'Idle' ? [] : (rollout.stages ?? []),
    ran: new Map((rollout.ran ?? []).map(({ cluster, seconds }) => [cluster, seconds])),
  }
}

/** What `lockstep rollout retry` asks for, and is not answered yet. */
const openRetry = ({ metadata, status }: Stored<Module>): string | undefined => {
  const asked = metadata.annotations?.[RETRY_ANNOTATION]
  return asked === status?.lastHandledRetryAt ? undefined : asked
}

/** All that failed is to be tried again. */
export const isRetryRequested = (module: Stored<Module>): boolean => {
  const asked = openRetry(module)
  return asked !== undefined && clustersOfRetry(asked) === undefined
}

/** Clusters on which what failed is to be tried again, and nowhere else. */
export const retryRequestedOn = (module: Stored<Module>): readonly string[] | undefined => {
  const asked = openRetry(module)
  return asked === undefined ? undefined : clustersOfRetry(asked)
}

/** It was halted before, and what there is to be done about it was done. */
export const wasHaltedBefore = ({ status }: Stored<Module>): boolean =>
  status?.rollout?.haltedAt !== undefined
