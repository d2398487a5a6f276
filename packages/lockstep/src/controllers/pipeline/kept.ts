/** What keeps Pipelines and Promotions from going before their pull requests are closed. */
import { type Kind, type KubeObject, keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { MANAGER, PULL_REQUESTS_FINALIZER } from '../../api/labels.ts'
import type { ControllerContext } from '../cache/index.ts'
import { failedWrite } from '../runtime/index.ts'

export const isLeaving = ({ metadata }: Stored): boolean => metadata.deletionTimestamp !== undefined

export const isKept = ({ metadata }: Stored): boolean =>
  metadata.finalizers?.includes(PULL_REQUESTS_FINALIZER) ?? false

export async function setKept<T extends KubeObject>(
  c: Pick<ControllerContext, 'env' | 'hub'>,
  kind: Kind<T>,
  object: Stored<T>,
  keeps: boolean,
): Promise<ReconcileResult> {
  const { uid, resourceVersion, finalizers = [] } = object.metadata
  const others = finalizers.filter((f) => f !== PULL_REQUESTS_FINALIZER)
  const patch = { metadata: { finalizers: keeps ? [...others, PULL_REQUESTS_FINALIZER] : others } }
  const done = await c.hub.client.patch(kind, keyOf(object), patch, {
    purpose: 'record',
    manager: MANAGER,
    precondition: { uid, resourceVersion },
  })
  // The watch tells what has become of it, and that it is gone.
  if (done.ok || done.error.kind === 'NotFound') return { ok: true }
  return failedWrite(c, done.error)
}
