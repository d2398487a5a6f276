/** Keeps an object of the hub as its owner defines it: creates, adopts or reverts it, or reports another owner. */
import type { RequestError } from '@lockstep/kube/client'
import type { KubeObject, Stored } from '@lockstep/kube/object'
import type { RecordClient, RecordKind } from '../../api/records.ts'

interface EnsureTarget<T extends KubeObject> {
  readonly own: Pick<RecordClient, 'apply'>
  readonly kind: RecordKind<T>
  observeWrite(object: Stored<T>): void
  /** Field manager of the owner: an apply keeps the fields of other managers. */
  readonly manager: string
}

interface DesiredObject<T extends KubeObject> {
  /** The cached object of that name; undefined: none. */
  readonly found: Stored<T> | undefined
  readonly desired: T
  /** The object belongs to the owner. */
  readonly isOwn: (found: Stored<T>) => boolean
  readonly isSame: (found: Stored<T>) => boolean
}

export type EnsureResult =
  /** Equal, being deleted, or applied: the event of a deletion requeues the owner. */
  | { readonly type: 'Kept' | 'Leaving' | 'Written' }
  /** An object of that name has another owner. */
  | { readonly type: 'External' }
  | { readonly type: 'Failed'; readonly error: RequestError }

/** Applies on the version of `found`, so that a later change is a conflict. */
export async function ensure<T extends KubeObject>(
  { own, kind, observeWrite, manager }: EnsureTarget<T>,
  { found, desired, isOwn, isSame }: DesiredObject<T>,
): Promise<EnsureResult> {
  if (found && !isOwn(found)) return { type: 'External' }
  if (found?.metadata.deletionTimestamp !== undefined) return { type: 'Leaving' }
  if (found && isSame(found)) return { type: 'Kept' }
  const written = await own.apply(kind, desired, {
    purpose: 'record',
    manager,
    force: true,
    precondition: found ? versionOf(found) : 'absent',
  })
  if (!written.ok) return { type: 'Failed', error: written.error }
  observeWrite(written.value)
  return { type: 'Written' }
}

const versionOf = ({ metadata: { uid, resourceVersion } }: Stored) => ({ uid, resourceVersion })
