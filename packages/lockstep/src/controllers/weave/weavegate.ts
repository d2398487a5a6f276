/** Pipelines of ours that stand for those of weaveworks rest while their own controller is at work. */

import type { KubeObject } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { weaveOwner } from '../../decisions/weave/index.ts'
import { requeueAfter } from '../runtime/index.ts'
import type { WeavePredecessor } from './weavepredecessor.ts'

/** In milliseconds. */
export const WEAVE_RETRY_MS = 15_000

/** Undefined: the pipeline may be reconciled. */
export async function weaveGate(
  predecessor: WeavePredecessor,
  pipeline: KubeObject | undefined,
): Promise<ReconcileResult | undefined> {
  const isHeld = pipeline && weaveOwner(pipeline) !== undefined && (await predecessor.active()) !== undefined
  return isHeld ? requeueAfter(WEAVE_RETRY_MS) : undefined
}
