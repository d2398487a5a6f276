/** What keeps Pipelines and Promotions from going before their pull requests are closed. */
import type { KubeObject, Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { PULL_REQUESTS_FINALIZER } from '../../api/labels.ts'
import type { RecordClient, RecordKind } from '../../api/records.ts'
import { done, ensureFinalizer, hasFinalizer, removeFinalizer } from '../runtime/index.ts'

export const isLeaving = ({ metadata }: Stored): boolean => metadata.deletionTimestamp !== undefined

export const isKept = (object: Stored): boolean => hasFinalizer(object, PULL_REQUESTS_FINALIZER)

/** The watch tells what has become of it, and that it is gone. */
export async function setPullRequestsFinalizer<T extends KubeObject>(
  { hub }: { readonly hub: { readonly own: Pick<RecordClient, 'patch'> } },
  kind: RecordKind<T>,
  object: Stored<T>,
  keeps: boolean,
): Promise<ReconcileResult> {
  const target = { own: hub.own, kind, purpose: 'record' } as const
  const written = keeps
    ? await ensureFinalizer(target, object, PULL_REQUESTS_FINALIZER)
    : await removeFinalizer(target, object, PULL_REQUESTS_FINALIZER)
  return written?.ok === false || written?.isOvertaken ? written : done
}
