/** Objects that are written as a whole (mode Replace): what is sent, and which fields are ours after it. Pure. */

import { FieldSet, toFieldsV1 } from '@lockstep/kube/fields'
import { digestOf, type KubeObject, type OwnerReference, type Stored } from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { LiveObject } from '../../fleet/connection/index.ts'
import { type FieldOwners, fieldOwnersOf } from '../ownership/fieldowners.ts'
import { managedFieldsDigest } from '../ownership/ignorerules.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'

/** Whose PUT would take along what lives in them; they are applied instead, as Argo CD updates them. */
const APPLIED: ReadonlySet<string> = new Set(['/Namespace', 'apiextensions.k8s.io/CustomResourceDefinition'])

/** A PUT leaves nothing to others: where `spec.apply.ignore` asks for that, the object is applied. */
export const isWholeWrite = ({
  options,
  ignored,
  ref,
}: Pick<DesiredObject, 'options' | 'ignored' | 'ref'>): boolean =>
  options.mode === 'Replace' && ignored === undefined && !APPLIED.has(`${ref.group}/${ref.kind}`)

/** The whole that takes the place of what is there. Finalizers and owners are others' business: they stay. */
export function wholeWriteBody(body: KubeObject, live: LiveObject): Stored {
  const { finalizers = [], ownerReferences = [] } = body.metadata
  const others = live.object.metadata.ownerReferences ?? []
  const owners: readonly OwnerReference[] = [
    ...ownerReferences,
    ...others.filter((o) => !ownerReferences.some((r) => r.uid === o.uid)),
  ]
  const held = [...new Set([...finalizers, ...live.finalizers])]
  return {
    ...body,
    metadata: {
      ...body.metadata,
      name: live.ref.name,
      ...(held.length > 0 ? { finalizers: held } : {}),
      ...(owners.length > 0 ? { ownerReferences: owners } : {}),
      uid: live.uid,
      resourceVersion: live.resourceVersion,
    },
  } as Stored
}

/** A PUT is an Update of ours, and takes what it changes out of the entry of our applies: both count. */
export function wholeOwners(live: Pick<LiveObject, 'managers'>): FieldOwners {
  let owners = known.get(live)
  if (!owners) {
    const { ours, others } = fieldOwnersOf(live)
    const put = others.filter((o) => o.manager === MANAGER)
    const fields = put.reduce((sum, o) => sum.union(o.fields), ours ?? FieldSet.empty)
    owners = {
      ours: fields.isEmpty ? undefined : fields,
      others: others.filter((o) => o.manager !== MANAGER),
    }
    known.set(live, owners)
  }
  return owners
}

const known = new WeakMap<object, FieldOwners>()

/** Digest of the fields of a live object that are ours, and that we answer for; undefined: none is. */
export function wholeWriteFields(d: DesiredObject, live: LiveObject): InventoryObject['fields'] | undefined {
  if (!isWholeWrite(d)) return managedFieldsDigest(live, d.object, d.ignored)
  let fields = digests.get(live)
  if (fields === undefined) {
    const { ours } = wholeOwners(live)
    if (!ours) return undefined
    fields = digestOf('fields/1', toFieldsV1(ours))
    digests.set(live, fields)
  }
  return fields
}

const digests = new WeakMap<LiveObject, string>()
