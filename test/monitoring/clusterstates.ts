/** Values of label `state`: each list has all of its type, or does not compile. */
import type {
  ModuleState,
  OpenRolloutState,
} from '../../packages/lockstep/src/controllers/manager/modulestate.ts'
import type { ClusterState } from '../../packages/lockstep/src/decisions/rollout/types.ts'

const all = <T extends string>(of: Readonly<Record<T, true>>): readonly string[] => Object.keys(of)

export const MODULE_STATES = all<ModuleState>({
  Ready: true,
  Progressing: true,
  Halted: true,
  AwaitingApproval: true,
  Paused: true,
  Blocked: true,
  Failed: true,
})

export const ROLLOUT_STATES = all<OpenRolloutState>({
  Progressing: true,
  Waiting: true,
  AwaitingApproval: true,
  Halted: true,
  Paused: true,
})

export const CLUSTER_STATES = all<ClusterState>({
  Absent: true,
  Deleting: true,
  Refused: true,
  Provisioning: true,
  IdentityChanged: true,
  Paused: true,
  Connecting: true,
  Unreachable: true,
  Connected: true,
})
