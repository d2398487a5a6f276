/** The end of a set: its entries leave the bindings, as far as upstream looks (`reconcileDelete`). */
import type { JsonObject, KubeObject } from '@lockstep/kube/object'
import type { ClusterApiContext } from './clusterapicontext.ts'
import type { SetSubject } from './patchsubject.ts'
import { bindingSpec, FINALIZER, ownerOf, ownersOf, pathOf, withoutOwner } from './setspec.ts'

/** Bindings are as the cache has them, and patched without resourceVersion. @throws RequestFailed */
export async function removeFromBindings(
  x: ClusterApiContext,
  s: SetSubject,
  clusters: readonly KubeObject[],
): Promise<void> {
  for (const { metadata } of clusters) {
    const binding = x.bindings.get(metadata.namespace ?? '', metadata.name ?? '')
    // One cluster without a binding is the end of all.
    if (!binding) break
    await removeFrom(x, s.set, binding)
  }
  s.finalizers = s.finalizers.filter((f) => f !== FINALIZER)
}

async function removeFrom(
  { client, ways }: ClusterApiContext,
  set: KubeObject,
  binding: KubeObject,
): Promise<void> {
  const path = `${pathOf(ways, 'clusterresourcesetbindings', binding.metadata.namespace ?? '')}/${binding.metadata.name}`
  const before = bindingSpec(binding).bindings ?? []
  const bindings = before.filter((e) => e.clusterResourceSetName !== set.metadata.name)
  if (bindings.length === 0) {
    // That it failed is only logged.
    await client.delete(path).catch(() => {})
    return
  }
  const owners = withoutOwner(ownersOf(binding), ownerOf(ways, set))
  const body = {
    ...(owners.length === ownersOf(binding).length
      ? {}
      : { metadata: { ownerReferences: owners.length === 0 ? null : owners } }),
    ...(bindings.length === before.length ? {} : { spec: { bindings } }),
  } as unknown as JsonObject
  // The helper of older versions sends nothing where nothing changes; the newer one an empty patch.
  if (Object.keys(body).length > 0 || !ways.loosePatches) await client.patch(path, body)
}
