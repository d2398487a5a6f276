import type { Env } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { BudgetLedger, HubInformers } from '../cache/index.ts'
import type { PublishDeps } from '../publish/index.ts'
import type { EventRecorder, KeyedMutex, RequestReads, StatusWriter } from '../runtime/index.ts'
import type { Deadlocks } from './deadlock/index.ts'
import type { RemovalGuard } from './removal/index.ts'

/** Limits of starts and removals. */
export interface ModuleLimits {
  readonly budgets: BudgetLedger
  /** Bounds the writes of assignments that are in progress at once, by all Modules. */
  readonly assignmentWrites: KeyedMutex
  /** Most clusters of a Module that leave at once: a number, or `50%`. */
  readonly maxRemoval: number | string
  /** Removals over the whole hub. */
  readonly removals: RemovalGuard
  /** Waits of the units of all Modules. */
  readonly deadlocks: Deadlocks
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

/** A Module, and caches that note its reads. */
export interface ReconciledModule {
  readonly ref: ModuleRef
  readonly module: Stored<Module>
  readonly hub: HubInformers
  readonly reads: RequestReads
}
