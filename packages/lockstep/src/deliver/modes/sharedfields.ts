/** Who owns the fields of an object that a ClusterResourceSet has applied. Pure. */

import { fieldsIn } from '@lockstep/kube/fields'
import type { JsonValue, KubeObject, Stored } from '@lockstep/kube/object'
import { MANAGER } from '../../api/labels.ts'
import { SHARED_MANAGERS } from '../../api/toolmanagers.ts'
import {
  fieldsWanted,
  fieldTransferOf,
  MARK_FIELDS,
  managedFieldsOf,
  ownedBy,
} from '../ownership/fieldtransfer.ts'

export interface SharedFieldsPatch {
  readonly patch: JsonValue
  /** Something has become ours that the manifest lacks: the next apply takes it off. */
  readonly isMore: boolean
}

/**
 * The merge patch after which nobody but us has what we have set, nor what Cluster API, which is called `manager`, has set
 * of the manifest. Undefined: it is so already.
 */
export function sharedFieldsPatch(o: Stored, body: KubeObject): SharedFieldsPatch | undefined {
  const moved = fieldTransferOf(o, [MANAGER, ...SHARED_MANAGERS], body)
  if (!moved) return undefined
  const owned = moved.ours
  const asked = fieldsIn(fieldsWanted(body), owned, owned)
  const managedFields = managedFieldsOf(o, moved) as unknown as JsonValue
  return {
    patch: { metadata: { managedFields } },
    isMore: !owned.difference(asked).difference(MARK_FIELDS).isEmpty,
  }
}

/** Somebody of a name that many share has fields that are none of the manifest's: whose they are nobody can tell. */
export const hasForeignFields = ({ metadata: { managedFields = [] } }: Stored): boolean =>
  managedFields.some(
    (f) =>
      SHARED_MANAGERS.includes(f.manager ?? '') &&
      f.operation === 'Update' &&
      !f.subresource &&
      !ownedBy([f]).isEmpty,
  )
