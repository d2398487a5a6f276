/** The controller of bindings: they go with their Clusters (`clusterresourcesetbinding_controller.go`). */
import type { JsonObject, KubeObject } from '@lockstep/kube/object'
import type { After } from '../flux/fluxqueue.ts'
import type { ClusterApiContext } from './clusterapicontext.ts'
import { bindingSpec, isDeleting, ownersOf, pathOf } from './setspec.ts'

export async function runBindingReconcile(
  x: ClusterApiContext,
  namespace: string,
  name: string,
): Promise<After> {
  const binding = x.bindings.get(namespace, name)
  if (!binding) return 'done'
  const path = `${pathOf(x.ways, 'clusterresourcesetbindings', namespace)}/${name}`
  const owner = ownersOf(binding).find((o) => o.kind === 'Cluster')
  const clusterName = bindingSpec(binding).clusterName ?? (owner ? String(owner.name) : undefined)
  if (clusterName === undefined || clusterName === '') return 'backoff'
  try {
    await updateReference(x, binding, path, clusterName)
    const cluster = x.clusters.get(namespace, clusterName)
    if (!cluster || isDeleting(cluster)) await x.client.delete(path)
    return 'done'
  } catch {
    return 'backoff'
  }
}

/** Before v1.4 an owner said whose it is. */
async function updateReference(
  { client }: ClusterApiContext,
  binding: KubeObject,
  path: string,
  clusterName: string,
): Promise<void> {
  const owners = ownersOf(binding).filter((o) => o.kind !== 'Cluster' || o.name !== clusterName)
  const isOwned = owners.length < ownersOf(binding).length
  const isNamed = bindingSpec(binding).clusterName === clusterName
  if (isNamed && !isOwned) return
  const body = {
    ...(isOwned ? { metadata: { ownerReferences: owners.length === 0 ? null : owners } } : {}),
    ...(isNamed ? {} : { spec: { clusterName } }),
  } as unknown as JsonObject
  await client.patch(path, body)
}
