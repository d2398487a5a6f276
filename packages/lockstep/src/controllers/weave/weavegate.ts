/** Pipelines of ours that stand for those of weaveworks rest while their own controller is at work. */

import type { KubeObject } from '@lockstep/kube/object'
import type { ReconcileResult, Request } from '@lockstep/kube/workqueue'
import { weaveOwner } from '../../decisions/weave/index.ts'
import type { WeavePredecessor } from './weavepredecessor.ts'

/** In milliseconds. */
export const WEAVE_RETRY_MS = 15_000

interface GatedController {
  reconcile(item: Request): Promise<ReconcileResult>
}

/** `pipelineOf`: the pipeline that an item is about. */
export const withWeaveGate = (
  controller: GatedController,
  predecessor: WeavePredecessor,
  pipelineOf: (item: Request) => KubeObject | undefined,
): GatedController => ({
  async reconcile(item) {
    const pipeline = pipelineOf(item)
    if (pipeline && weaveOwner(pipeline) !== undefined && (await predecessor.active()) !== undefined)
      return { ok: true, requeueAfterMs: WEAVE_RETRY_MS }
    return controller.reconcile(item)
  },
})
