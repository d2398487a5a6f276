import type { Env } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Pipeline } from '../../api/kinds/index.ts'
import type { Fleet } from '../../fleet/clusters/index.ts'
import type { HubInformers, ReportedRevisions } from '../cache/index.ts'
import type { StatusWriter, WatchIndex } from '../runtime/index.ts'

/** What reconciling a Pipeline takes. */
export interface PipelineDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly status: StatusWriter
  readonly watchIndex: WatchIndex
  /** What events have said of targets of pipelines. */
  readonly reportedRevisions: ReportedRevisions
}

/** Whether a pipeline rests while another controller is at work on it; undefined: nobody is. */
export type PipelineGate = (pipeline: Stored<Pipeline> | undefined) => Promise<ReconcileResult | undefined>
