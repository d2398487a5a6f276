/** Finalizers of objects on the hub: added before anything of an object exists elsewhere, removed when nothing does. */
import type { ClientCall } from '@lockstep/kube/client'
import { type KubeObject, keyOf, type Stored } from '@lockstep/kube/object'
import { MANAGER } from '../../api/labels.ts'
import type { RecordClient, RecordKind } from '../../api/records.ts'
import { done, failed, type ReconcileResult } from './result.ts'

/** Where the object is, and the cache that the answer is put into. */
export interface FinalizersTarget<T extends KubeObject> {
  readonly own: Pick<RecordClient, 'patch'>
  readonly kind: RecordKind<T>
  readonly observeWrite?: (object: Stored<T>) => void
  readonly purpose: ClientCall['purpose']
}

/** `object`: as it is stored now; undefined: it is gone, or the write has failed. */
export interface FinalizerResult<T extends KubeObject> extends ReconcileResult {
  readonly object?: Stored<T>
}

export const hasFinalizer = ({ metadata }: Pick<Stored, 'metadata'>, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true

/** The list, with the finalizer once. */
export const withFinalizer = (finalizers: readonly string[] = [], finalizer: string): string[] => [
  ...new Set([...finalizers, finalizer]),
]

export const withoutFinalizer = (finalizers: readonly string[] = [], finalizer: string): string[] =>
  finalizers.filter((f) => f !== finalizer)

/** Undefined: the object has the finalizer. */
export async function ensureFinalizer<T extends KubeObject>(
  target: FinalizersTarget<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<FinalizerResult<T> | undefined> {
  if (hasFinalizer(object, finalizer)) return undefined
  return patchFinalizers(target, object, withFinalizer(object.metadata.finalizers, finalizer))
}

export const removeFinalizer = <T extends KubeObject>(
  target: FinalizersTarget<T>,
  object: Stored<T>,
  finalizer: string,
): Promise<FinalizerResult<T>> =>
  patchFinalizers(target, object, withoutFinalizer(object.metadata.finalizers, finalizer))

/** On the version that was read: a merge patch replaces the whole list. */
async function patchFinalizers<T extends KubeObject>(
  { own, kind, observeWrite, purpose }: FinalizersTarget<T>,
  object: Stored<T>,
  finalizers: readonly string[],
): Promise<FinalizerResult<T>> {
  const { uid, resourceVersion } = object.metadata
  const patch = { metadata: { finalizers: [...finalizers] } }
  const precondition = { uid, resourceVersion }
  const written = await own.patch(kind, keyOf(object), patch, { purpose, manager: MANAGER, precondition })
  if (!written.ok) return written.error.kind === 'NotFound' ? done : failed(written.error)
  observeWrite?.(written.value)
  return { ok: true, object: written.value }
}
