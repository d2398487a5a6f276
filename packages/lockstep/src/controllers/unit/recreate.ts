/** Deletes an object that is made anew, once its cluster has said that it would accept the new one. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { defineKind, keyOf } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import { MANAGER } from '../../api/labels.ts'
import type { DesiredObject } from '../../deliver/plan/index.ts'
import { desiredWaitRef } from '../../deliver/state/index.ts'
import { bodyOf, type ObjectApplyTarget, refusedWrite, type WriteRefusal } from '../../deliver/write/index.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'

/**
 * Its dependants go in the background: its successor need not wait for them, and does not adopt them, since they name
 * another uid. A dry run of a create checks everything before it finds the name taken (apiserver `registry.Store.Create`).
 */
export async function deleteForRecreate(
  target: ObjectApplyTarget,
  d: DesiredObject,
  live: LiveObject,
  nonce: string | undefined,
): Promise<Result<void, WriteRefusal>> {
  const { client } = target.session
  const kind = defineKind(d.resource!)
  const body = bodyOf(target, d, undefined, nonce)
  const tried = await client.create(kind, body, { purpose: 'dryrun', manager: MANAGER, dryRun: true })
  if (!tried.ok && tried.error.kind !== 'AlreadyExists') return err(refusedWrite(target, d, tried.error))
  const done = await client.delete(kind, keyOf(d.object), {
    purpose: 'replace',
    manager: MANAGER,
    precondition: { uid: live.uid, resourceVersion: live.resourceVersion },
    propagation: 'Background',
  })
  if (done.ok || done.error.kind === 'NotFound') return ok(undefined)
  if (done.error.kind !== 'FenceLost') return err(refusedWrite(target, d, done.error))
  const on = desiredWaitRef(d, target.cluster)
  return err({ ...blocked('Applying', [on], { state: 'Changed' }), transient: true })
}
