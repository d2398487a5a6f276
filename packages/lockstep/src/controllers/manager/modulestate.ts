/** States of a Module for metrics: pure. */
import { parseTimestampMs, type Stored } from '@lockstep/kube/object'
import { isReadyNow } from '../../api/conditions.ts'
import type { Module } from '../../api/kinds/index.ts'
import { isSourceFailure } from '../../api/reasons/index.ts'

/** State of a rollout that has not ended. `Waiting`: for a soak time, a window, a dependency or a limit. */
export type OpenRolloutState = 'Progressing' | 'Waiting' | 'AwaitingApproval' | 'Halted' | 'Paused'

export type ModuleState =
  | 'Ready'
  | 'Progressing'
  | 'Halted'
  | 'AwaitingApproval'
  | 'Paused'
  | 'Blocked'
  | 'Failed'

const APPROVALS: ReadonlySet<string> = new Set(['AwaitingApproval', 'ApprovalForOtherRevision'])

/** Undefined: no rollout is unfinished. */
export function rolloutStateOf({ status }: Pick<Module, 'status'>): OpenRolloutState | undefined {
  const phase = status?.rollout?.phase
  switch (phase) {
    case 'Halted':
    case 'Paused':
      return phase
    case 'Waiting':
      return status?.blockers?.some((b) => APPROVALS.has(b.reason)) ? 'AwaitingApproval' : 'Waiting'
    case 'Progressing':
    case 'RollingBack':
    case 'Removing':
      return 'Progressing'
    default:
      return undefined
  }
}

/** The first that applies. */
export function moduleStateOf(module: Stored<Module>): ModuleState {
  const { status } = module
  if (isReadyNow(module)) return 'Ready'
  const rollout = rolloutStateOf(module)
  if (rollout === 'Halted' || rollout === 'AwaitingApproval' || rollout === 'Paused') return rollout
  const phase = status?.rollout?.phase
  const isStalled = status?.conditions?.some((c) => c.type === 'Stalled' && c.status === 'True') ?? false
  const hasFailed = phase === 'CompletedWithFailures' || phase === 'RolledBack'
  if (isStalled || hasFailed || (status?.clusters?.failed ?? 0) > 0) return 'Failed'
  if (rollout === 'Progressing') return 'Progressing'
  return (status?.blockers?.length ?? 0) > 0 ? 'Blocked' : 'Progressing'
}

/** Whether its source could be read and rendered last. */
export const isSourceUp = ({ status }: Pick<Module, 'status'>): boolean =>
  !status?.blockers?.some((b) => isSourceFailure(b.reason))

/** Milliseconds of the last step that the status of the Module records of its rollout. */
export function lastStepMs({ status }: Pick<Module, 'status'>): number | undefined {
  const { startedAt, stages = [] } = status?.rollout ?? {}
  return latestMs([startedAt, ...stages.flatMap((s) => [s.openedAt, s.completedAt])])
}

/** Milliseconds of the latest time; undefined: there is none. */
export function latestMs(times: Iterable<string | undefined>): number | undefined {
  let latest: number | undefined
  for (const time of times) {
    const ms = parseTimestampMs(time ?? '')
    if (ms !== undefined && (latest === undefined || ms > latest)) latest = ms
  }
  return latest
}
