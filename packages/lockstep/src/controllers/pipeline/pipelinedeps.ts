import type { Env } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Pipeline } from '../../api/kinds/index.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { HubInformers, ReportedRevisions } from '../cache/index.ts'
import type { StatusWriter, WatchIndex } from '../runtime/index.ts'

/** Dependencies of the controller of Pipelines. */
export interface PipelineDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly status: StatusWriter
  readonly watchIndex: WatchIndex
  /** Revisions of targets, as webhooks reported them. */
  readonly reportedRevisions: ReportedRevisions
}

/** The result while another controller promotes the pipeline; undefined: none does. */
export type PipelineGate = (pipeline: Stored<Pipeline> | undefined) => Promise<ReconcileResult | undefined>
