/** Pipelines of ours that stand for those of weaveworks rest while their own controller is at work. */

import { weaveOwner } from '../../decisions/weave/previouscontroller.ts'
import type { Request, ReconcileResult } from '../../../../kube/src/workqueue/workqueue.ts'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
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
      return { ok: true, afterMs: WEAVE_RETRY_MS }
    return controller.reconcile(item)
  },
})
