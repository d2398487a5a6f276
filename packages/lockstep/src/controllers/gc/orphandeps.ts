import type { Env } from '@lockstep/kube/env'
import type { FleetReader } from '../../fleet/clusters/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { StatusWriter } from '../runtime/index.ts'

/** Dependencies of the retention of Inventories after their cluster was deleted. */
export interface OrphanDeps {
  readonly env: Env
  readonly hub: Pick<HubInformers, 'own' | 'assemblages' | 'inventories' | 'module'>
  readonly fleet: Pick<FleetReader, 'view'>
  readonly status: StatusWriter
  /** Milliseconds until the Inventories of a deleted cluster are deleted. */
  readonly orphanRetentionMs: number
}
