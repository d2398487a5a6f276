/** The end of a Kustomization: what it applied is deleted or left, then its finalizer goes. */
import { deleteSet } from './applyset.ts'
import { type FluxController, liveOf, request } from './fluxcontext.ts'
import { kustomizationSpec, timeoutOf } from './fluxkind.ts'
import type { After } from './fluxqueue.ts'
import type { FluxSubject } from './fluxsubject.ts'
import { type InventoryId, inventoryOf } from './inventoryid.ts'

export const KUSTOMIZATION_FINALIZER = 'finalizers.fluxcd.io'

const TERMINATION_POLL_MS = 2000

export async function finalize(c: FluxController, subject: FluxSubject): Promise<After> {
  const spec = kustomizationSpec(subject.object)
  const ids = inventoryOf(subject.written.status)
  const { name = '', namespace = '', finalizers = [] } = subject.object.metadata
  if (deletes(subject)) {
    const { deleted, error } = await deleteSet(c, ids, { name, namespace })
    if (error !== undefined) return 'backoff'
    if (spec.deletionPolicy === 'WaitForTermination') await terminated(c, deleted, timeoutOf(spec))
  }
  subject.finalizers = finalizers.filter((f) => f !== KUSTOMIZATION_FINALIZER)
  return 'done'
}

/** Nothing where it is suspended or has applied nothing; else as its policy says. */
function deletes(subject: FluxSubject): boolean {
  const { suspend, prune, deletionPolicy = 'MirrorPrune' } = kustomizationSpec(subject.object)
  if (suspend || inventoryOf(subject.written.status).length === 0) return false
  return deletionPolicy === 'MirrorPrune' ? prune : deletionPolicy !== 'Orphan'
}

/** One after the other, until all are gone or the time is over; the finalizer goes in any case. */
async function terminated(c: FluxController, ids: readonly InventoryId[], timeoutMs: number): Promise<void> {
  const { clock } = c.x.env
  const deadline = clock.steady() + timeoutMs
  for (const id of ids)
    while (liveOf(c, id) && clock.steady() < deadline) if (!(await request(c.x, TERMINATION_POLL_MS))) return
}
