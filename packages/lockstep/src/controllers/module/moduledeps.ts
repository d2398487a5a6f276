import type { Env } from '@lockstep/kube/env'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { BudgetLedger, HubInformers } from '../cache/index.ts'
import type { PublishDeps } from '../publish/index.ts'
import type { EventRecorder, KeyedMutex, StatusWriter } from '../runtime/index.ts'

/** What limits how many units start or leave at once. */
export interface RolloutLimits {
  readonly budgets: BudgetLedger
  /** Writes of assemblages take turns. */
  readonly recordWrites: KeyedMutex
  /** So many of the clusters that a module is on may leave at once: a number, or `50%`. */
  readonly maxRemoval: number | string
}

/** What reconciling a Module takes. */
export interface ModuleDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly events: EventRecorder
  readonly status: StatusWriter
  readonly publishing: PublishDeps
  readonly limits: RolloutLimits
}
