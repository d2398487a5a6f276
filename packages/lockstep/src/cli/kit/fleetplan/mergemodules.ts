/** The hub's objects as they would be with files applied. */
import type { KubeObject, Stored } from '@lockstep/kube/object'
import type { Module, OwnKind } from '../../../api/kinds/index.ts'
import { moduleId } from '../../../decisions/graph/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'

/** Modules; of those that `leave`, what is there is being deleted. */
export function mergeModules(
  known: readonly Stored<Module>[],
  written: readonly Module[],
  leave: readonly Stored<Module>[] = [],
): Stored<Module>[] {
  const out = new Map(known.map((m) => [moduleId(moduleRefOf(m)), m]))
  for (const m of written) {
    const id = moduleId(moduleRefOf(m))
    const old = out.get(id)
    const { name = '', labels, annotations, ownerReferences } = m.metadata
    const own = {
      name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(ownerReferences ? { ownerReferences } : {}),
    }
    const metadata = old
      ? { ...old.metadata, ...own, generation: (old.metadata.generation ?? 0) + 1 }
      : {
          ...own,
          ...(m.metadata.namespace === undefined ? {} : { namespace: m.metadata.namespace }),
          uid: `planned/${id}`,
          resourceVersion: '1',
          generation: 1,
          creationTimestamp: '',
        }
    out.set(id, { ...m, ...(old?.status ? { status: old.status } : {}), metadata })
  }
  for (const m of leave) {
    const metadata = { ...m.metadata, deletionTimestamp: m.metadata.deletionTimestamp ?? '' }
    out.set(moduleId(moduleRefOf(m)), { ...m, metadata })
  }
  return [...out.values()]
}

/** Objects of a kind: what they say counts from then on. */
export function mergeObjects<T extends KubeObject>(
  { kind }: OwnKind<T>,
  known: readonly Stored<T>[],
  written: readonly KubeObject[],
): Stored<T>[] {
  const out = new Map(known.map((o) => [o.metadata.name, o]))
  for (const o of written) {
    const { name = '' } = o.metadata
    if (o.kind !== kind) continue
    const fresh = { uid: `planned/${kind}/${name}`, resourceVersion: '1', creationTimestamp: '' }
    const there = out.get(name)
    const metadata = { ...fresh, ...there?.metadata, ...o.metadata }
    out.set(name, { ...there, ...o, metadata } as Stored<T>)
  }
  return [...out.values()]
}

/** Clusters with the labels and annotations that files give their Secrets. */
export const mergeClusters = (known: readonly ClusterView[], written: readonly KubeObject[]): ClusterView[] =>
  known.map((view) => {
    const { kind, namespace, objectName } = view
    const found = written.find(
      (o) => o.kind === kind && o.metadata.namespace === namespace && o.metadata.name === objectName,
    )
    if (!found) return view
    const { labels, annotations } = found.metadata
    return {
      ...view,
      labels: { ...view.labels, ...labels },
      annotations: { ...view.annotations, ...annotations },
    }
  })
