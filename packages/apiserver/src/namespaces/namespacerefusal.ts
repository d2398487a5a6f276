import { at } from '@lockstep/kube/object'
import type { ServedKind } from '../resources/servedkind.ts'
import { resourceOf } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { forbidden, notFound } from '../status/apifailure.ts'

/** Nothing new in a namespace that is absent or on its way out (apiserver `namespace/lifecycle`). */
export function namespaceRefusal(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  name: string,
): ApiFailure | undefined {
  if (!kind.info.namespaced || cluster.profile === 'apiextensions') return undefined
  const found = cluster.kinds.find('', 'v1', 'namespaces')?.table.live.get(namespace)
  if (!found) return notFound({ group: '', name: 'namespaces' }, namespace)
  if (
    found.object.metadata.deletionTimestamp === undefined &&
    at(found.object, 'status', 'phase') !== 'Terminating'
  )
    return undefined
  return forbidden(
    resourceOf(kind),
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  )
}
