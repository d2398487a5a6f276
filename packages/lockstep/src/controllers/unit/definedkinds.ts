/** Kinds that a cluster defines, though it may not serve them now. */

import { listAll } from '@lockstep/kube/client'
import { apiServiceKind, crdKind } from '@lockstep/kube/kinds'
import { at, type Kind, type KubeObject } from '@lockstep/kube/object'
import type { InventoryObject } from '../../api/kinds/index.ts'
import { type ClusterSession, servedAs } from '../../fleet/connection/index.ts'

/** Says of a kind whether its objects may exist all the same. */
export type IsDefined = (o: Pick<InventoryObject, 'group' | 'kind'>) => boolean

/** Nothing is dropped of which nothing is known. */
export const anyDefined: IsDefined = () => true

/**
 * Reads what is defined, if one of the entries is of a kind that is not served: objects of a kind that nothing defines are
 * gone, those of a kind whose definition or extension server is merely out of order are not.
 */
export async function definedKinds(
  session: Pick<ClusterSession, 'client' | 'served'>,
  entries: readonly InventoryObject[],
): Promise<IsDefined> {
  const isMissing = (o: InventoryObject): boolean => !servedAs(session, o)
  if (!entries.some(isMissing)) return anyDefined
  const definitions = await listAll<KubeObject>(session.client, crdKind as Kind, { purpose: 'prune' })
  const extensions = await listAll<KubeObject>(session.client, apiServiceKind, { purpose: 'prune' })
  if (!definitions.ok || !extensions.ok) return anyDefined
  const kinds = new Set(
    definitions.value.map((o) => `${at(o, 'spec', 'group')}/${at(o, 'spec', 'names', 'kind')}`),
  )
  // Without a service it stands for what the server has by itself.
  const groups = new Set(
    extensions.value.flatMap((o) => (at(o, 'spec', 'service') ? [at(o, 'spec', 'group')] : [])),
  )
  return ({ group, kind }) => kinds.has(`${group}/${kind}`) || groups.has(group)
}
