/** Owners of an object of a set after it was applied: what is ours by updates, or set by Cluster API, becomes the apply's. */

import type { KubeClient, KubeResult, ServedResource } from '@lockstep/kube/client'
import { defineKind, type KubeObject, keyOf, type Stored } from '@lockstep/kube/object'
import { MANAGER } from '../../api/labels.ts'
import { hasForeignFields, sharedFieldsPatch } from '../../deliver/modes/index.ts'

/** How an object was left. */
export interface OwnerTransferResult {
  /** Fields that somebody named `manager` has set, and the manifest does not have. */
  readonly remains: boolean
}

/** Changes of others between an answer and the patch that it leads to. */
const MAX_TRIES = 5

/**
 * The answer of an apply says who owns what, so that nothing is read for it. `again` applies once more: what we had set
 * before by other means than an apply, and the manifest lacks, goes with that.
 */
export async function completeOwnerTransfer(
  { client, mayWrite }: { readonly client: KubeClient; readonly mayWrite: () => boolean },
  resource: ServedResource,
  body: KubeObject,
  answer: Stored,
  again: () => Promise<KubeResult<Stored>>,
): Promise<KubeResult<OwnerTransferResult>> {
  const kind = defineKind(resource)
  let now = answer
  for (let tries = 1; ; tries++) {
    const move = sharedFieldsPatch(now, body)
    // What is not ours to write any more is settled by the next apply.
    if (!move || !mayWrite()) return { ok: true, value: { remains: hasForeignFields(now) } }
    const { uid, resourceVersion } = now.metadata
    const moved = await client.patch(kind, keyOf(body), move.patch, {
      purpose: 'adopt',
      manager: MANAGER,
      precondition: { uid, resourceVersion },
    })
    if (!moved.ok && (moved.error.kind !== 'FenceLost' || tries === MAX_TRIES)) return moved
    const isOpen = move.isMore && tries < MAX_TRIES && mayWrite()
    if (moved.ok && !isOpen) return { ok: true, value: { remains: hasForeignFields(moved.value) } }
    const next = await again()
    if (!next.ok) return next
    now = next.value
  }
}
