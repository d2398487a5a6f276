/** The clusters of a hub for commands: from every inventory that it serves, under the names that their units have. */

import type { Result } from '@lockstep/kube/env'
import { secretKind } from '@lockstep/kube/kinds'
import type { Kind, Stored } from '@lockstep/kube/object'
import type { RemoteAssemblage } from '../../../api/kinds/index.ts'
import { CLUSTER_LABEL } from '../../../api/labels.ts'
import { assignClusterNames, type ClusterView } from '../../../fleet/clusters/index.ts'
import {
  ARGOCD_LABEL,
  clusterApiKinds,
  clusterOfArgo,
  clusterOfClusterApi,
  clusterOfClusterProfile,
  clusterOfKubeconfigSecret,
  clusterProfileKinds,
  kubeconfigName,
} from '../../../fleet/inventories/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../index.ts'
import { type HubConnection, listAll } from './hub.ts'

/** Objects that are clusters. */
export interface ClusterSource {
  readonly kind: Kind
  readonly labelSelector?: string
  readonly view: (o: Stored) => ClusterView | undefined
}

/** Which proxies are allowed only the controller knows; commands connect through none (`clusterconnections.ts`). */
const secrets: readonly ClusterSource[] = [
  {
    kind: secretKind,
    labelSelector: `${CLUSTER_LABEL}=true`,
    view: (o) => clusterOfKubeconfigSecret(o, 'Any'),
  },
  { kind: secretKind, labelSelector: `${ARGOCD_LABEL}=cluster`, view: (o) => clusterOfArgo(o, undefined) },
]

/** Which programs give credentials only the controller knows; a kubeconfig is read when it is needed. */
const custom: readonly { readonly kinds: readonly Kind[]; readonly view: ClusterSource['view'] }[] = [
  { kinds: clusterProfileKinds, view: (o) => clusterOfClusterProfile(o, undefined) },
  { kinds: clusterApiKinds, view: (o) => unread(clusterOfClusterApi(o)) },
]

const unread = (view: ClusterView): ClusterView => ({
  ...view,
  access: { type: 'Unread', message: `Secret ${view.namespace}/${kubeconfigName(view.objectName)}` },
})

/** What this hub serves of them. */
export async function clusterSources(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<ClusterSource[], CliFailure>> {
  const served = await hub.client.discover({ purpose: 'user', signal: c.signal })
  if (!served.ok) return requestFailure(served.error, hub.server)
  const isServed = (k: Kind) =>
    served.value.some((r) => r.group === k.group && r.version === k.version && r.kind === k.kind)
  const installed = custom.flatMap(({ kinds, view }) => {
    const kind = kinds.find(isServed)
    return kind ? [{ kind, view }] : []
  })
  return { ok: true, value: [...secrets, ...installed] }
}

export interface ListedCluster {
  readonly view: ClusterView
  readonly createdAt: string
}

/** `labelSelector`: of the clusters' own labels. */
export async function listClusters(
  c: CommandContext,
  hub: HubConnection,
  scope: { readonly namespace?: string; readonly labelSelector?: string },
): Promise<Result<ListedCluster[], CliFailure>> {
  const sources = await clusterSources(c, hub)
  if (!sources.ok) return sources
  const out: ListedCluster[] = []
  for (const { kind, labelSelector, view } of sources.value) {
    const selectors = [labelSelector, scope.labelSelector].filter((s) => s !== undefined)
    const found = await listAll(c, hub, kind, {
      ...(scope.namespace === undefined ? {} : { namespace: scope.namespace }),
      ...(selectors.length > 0 ? { labelSelector: selectors.join(',') } : {}),
    })
    if (!found.ok) return found
    for (const o of found.value) {
      const seen = view(o)
      if (seen) out.push({ view: seen, createdAt: o.metadata.creationTimestamp })
    }
  }
  return { ok: true, value: out }
}

/** The clusters under their names; who is behind one is what was written down. */
export function withUniqueNames(
  views: readonly ClusterView[],
  assemblages: readonly Stored<RemoteAssemblage>[],
): ClusterView[] {
  const spaces = [...new Set(views.map((v) => v.namespace))]
  return spaces.flatMap((namespace) => {
    const candidates = views
      .filter((v) => v.namespace === namespace)
      .map((view) => ({
        kind: view.kind,
        objectName: view.objectName,
        objectUid: view.uid,
        uid: undefined,
        view,
      }))
    const records = assemblages
      .filter((a) => a.metadata.namespace === namespace)
      .map((a) => ({
        name: a.metadata.name,
        kind: a.spec.clusterRef.kind,
        uid: a.status?.clusterUid,
        objectUid: a.status?.objectUid,
      }))
    return assignClusterNames(candidates, records).map((s) => ({
      ...s.candidate.view,
      name: s.name,
      standsIn: s.standsIn,
    }))
  })
}
