/** References of facts to objects on the cluster of a unit. */

import { apiVersionOf, type KubeObject, type ObjectReference, parseApiVersion } from '@lockstep/kube/object'
import type { WaitRef, WaitRefOf } from '../../api/reasons/index.ts'
import { objectRef } from '../../decisions/graph/index.ts'

interface VersionedReference extends ObjectReference {
  readonly version?: string
}

/** The version is `*` where none is known. */
export const objectWaitRef = (
  { group, version, kind, namespace, name }: VersionedReference,
  cluster: string,
): WaitRefOf<'Object'> =>
  objectRef(
    {
      apiVersion: apiVersionOf({ group, version: version || '*' }),
      kind,
      name,
      ...(namespace ? { namespace } : {}),
    },
    cluster,
  )

/** The reference to an object of a bundle. */
export const desiredWaitRef = (
  { ref, object }: { readonly ref: ObjectReference; readonly object: Pick<KubeObject, 'apiVersion'> },
  cluster: string,
): WaitRefOf<'Object'> =>
  objectWaitRef({ ...ref, version: parseApiVersion(object.apiVersion).version }, cluster)

/** Whether a fact is about the object, in any version of its kind. */
export const isWaitRefOf = (
  { group, kind, namespace = '', name }: ObjectReference,
  found: WaitRef | undefined,
): boolean =>
  found?.kind === 'Object' &&
  found.name === name &&
  (found.namespace ?? '') === namespace &&
  found.object?.kind === kind &&
  parseApiVersion(found.object.apiVersion).group === group

/** `Deployment app/api`: as the messages of facts name an object. */
export const kindNameText = ({ kind, namespace, name }: Omit<ObjectReference, 'group'>): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`
