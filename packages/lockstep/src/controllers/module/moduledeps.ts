import type { Env } from '@lockstep/kube/env'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { BudgetLedger, HubInformers } from '../cache/index.ts'
import type { PublishDeps } from '../publish/index.ts'
import type { EventRecorder, KeyedMutex, StatusWriter } from '../runtime/index.ts'

/** Limits of starts and removals. */
export interface ModuleLimits {
  readonly budgets: BudgetLedger
  /** Writes of assemblages take turns. */
  readonly recordWrites: KeyedMutex
  /** Most clusters of a Module that leave at once: a number, or `50%`. */
  readonly maxRemoval: number | string
}

/** Dependencies of the controller of Modules. */
export interface ModuleDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly events: EventRecorder
  readonly status: StatusWriter
  readonly publishing: PublishDeps
  readonly limits: ModuleLimits
}
