/** The object that a refusal is about. A change of it ends the refusal before its time. Pure. */

import { type Digest, digestOf } from '@lockstep/kube/object'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { isOlderVersion } from '../drift/drift.ts'

/** An object as it was when a write to it was refused. */
export interface RefusalSubject {
  readonly uid: string
  readonly resourceVersion: string
  /** Digest of the generation, and of the metadata that people and controllers change: labels, annotations, finalizers. */
  readonly digest: Digest
  /** Our label is on the object, and caches find it. */
  readonly labeled: boolean
}

export function refusalSubject(live: LiveObject): RefusalSubject {
  const { generation, labels, annotations, finalizers } = live.object.metadata
  const state = [generation, labels, annotations, finalizers, live.deleting]
  return {
    uid: live.uid,
    resourceVersion: live.resourceVersion,
    digest: digestOf(
      'refused/1',
      state.map((part) => part ?? null),
    ),
    labeled: live.unit !== undefined,
  }
}

/** A refusal with its object. */
export const about = <R extends { readonly subject?: RefusalSubject }>(
  refusal: R,
  live: LiveObject | undefined,
): R => (live ? { ...refusal, subject: refusalSubject(live) } : refusal)

/** Whether the object is another one by now, was deleted, or exists. A cache may be behind the request that was refused. */
export function isOtherSubject(subject: RefusalSubject | undefined, live: LiveObject | undefined): boolean {
  if (!subject || !live) return subject !== undefined || live !== undefined
  if (subject.uid === live.uid && isOlderVersion(live.resourceVersion, subject.resourceVersion)) return false
  const now = refusalSubject(live)
  return now.uid !== subject.uid || now.digest !== subject.digest
}
