import type { ServedResource } from '@lockstep/kube/client'
import type { AccessRight } from '../../api/account.ts'

/** An object and its resource. */
export interface DeliveredRef {
  readonly ref: { readonly namespace?: string | undefined }
  /** Undefined: its kind is not served. */
  readonly resource: Pick<ServedResource, 'group' | 'plural'> | undefined
}

export const READ_VERBS: readonly string[] = ['get', 'list', 'watch']

/** Verbs that a delivery needs, the one that a message names first. */
const DELIVERY_VERBS: readonly string[] = ['create', 'patch', 'delete', ...READ_VERBS]

/** Rights that the delivery of objects needs: one for each verb, resource and namespace. */
export function deliveryRights(objects: readonly DeliveredRef[]): AccessRight[] {
  const rights = objects.flatMap((o) => resourceRights(o, DELIVERY_VERBS))
  return [...new Map(rights.map((r) => [JSON.stringify(r), r])).values()]
}

/** None of a kind that is not served. */
export const resourceRights = (
  { resource, ref: { namespace } }: DeliveredRef,
  verbs: readonly string[],
): AccessRight[] =>
  resource === undefined
    ? []
    : verbs.map((verb) => ({ verb, group: resource.group, resource: resource.plural, namespace }))
