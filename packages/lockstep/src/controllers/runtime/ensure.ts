/** Keeps an object of the hub as another one asks for it: created, adopted, put right, or left to somebody else. */
import type { KubeClient, RequestError } from '@lockstep/kube/client'
import type { Kind, KubeObject, Stored } from '@lockstep/kube/object'

interface EnsureTarget<T extends KubeObject> {
  readonly own: Pick<KubeClient, 'apply'>
  readonly kind: Kind<T>
  observeWrite(object: Stored<T>): void
  /** Field manager: what others write to the object stays theirs. */
  readonly manager: string
}

interface DesiredObject<T extends KubeObject> {
  /** What has its name, as it is cached; undefined: nothing. */
  readonly found: Stored<T> | undefined
  readonly desired: T
  /** It belongs to the owner that asks for it. */
  readonly isOwn: (found: Stored<T>) => boolean
  readonly isSame: (found: Stored<T>) => boolean
}

export type EnsureResult =
  /** As it should be, or on its way out: the event of that brings us back. */
  | { readonly type: 'Kept' | 'Leaving' | 'Written' }
  /** Somebody else has an object of that name. */
  | { readonly type: 'External' }
  | { readonly type: 'Failed'; readonly error: RequestError }

/** On the version that was found: whoever has created or changed it meanwhile is seen first. */
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
