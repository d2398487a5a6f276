import type { Env } from '@lockstep/kube/env'
import type { FleetReader } from '../../fleet/clusters/index.ts'
import type { HubInformers } from '../cache/index.ts'
import type { StatusWriter } from '../runtime/index.ts'

/** What keeping, and at last dropping, the traces of a cluster that is gone takes. */
export interface OrphanDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Pick<FleetReader, 'view'>
  readonly status: StatusWriter
  /** So long what is left of a cluster that is gone is kept, in milliseconds. */
  readonly orphanRetentionMs: number
}
