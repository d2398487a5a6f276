/** Which changes concern which external assemblages. */
import type { Stored } from '@lockstep/kube/object'
import type { ExternalAssemblage, Inventory } from '../../api/kinds/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { isOfSet } from '../cache/index.ts'
import {
  always,
  annotationsChanged,
  any,
  changed,
  hubCluster,
  memberCluster,
  type ObjectKey,
  objectKey,
  on,
  onCluster,
  onJudged,
  onSelection,
  specChanged,
  type WatchRule,
} from '../runtime/index.ts'
import {
  foreignOf,
  hasExternalWatcher,
  hubInventories,
  type UnitWatchDeps,
  waitersView,
} from '../unit/index.ts'

const keysOf = (all: Iterable<Stored<ExternalAssemblage>>): ObjectKey[] =>
  [...all].map((a) => objectKey.of(a.metadata))

/** Its own units. */
export const externalWatches = (d: UnitWatchDeps): WatchRule<ObjectKey>[] => [
  on('inventories', always, ownerOf),
  onCluster(memberCluster, (view) => keysOf(foreignOf(d.hub, view.namespace, view))),
  onCluster(hubCluster, () => [...hubInventories(d)].flatMap(ownerOf)),
]

/** Routes for what ends the wait of its records, by hand: those that their blockers name replace them. */
export const externalWaitWatches = (d: UnitWatchDeps): WatchRule<ObjectKey>[] => {
  const { hub, labels } = d
  const inNamespace = (namespace = '', view?: ClusterView) => keysOf(foreignOf(hub, namespace, view))
  const waiters = (i: Stored<Inventory>): ObjectKey[] => {
    const ref = refOfInventory(i)
    if (isOfSet(i) || ref.owner !== undefined) return []
    return inNamespace(ref.namespace, waitersView(d, ref, i.spec.clusterRef.name))
  }
  return [
    on('modules', changed, (m) => inNamespace(m.metadata.namespace)),
    on('bootstrapModules', changed, (m) => inNamespace(m.metadata.namespace)),
    on('sets', any(specChanged, annotationsChanged), (s) => inNamespace(s.metadata.namespace)),
    on('revisions', changed, (r) => inNamespace(r.namespace)),
    on('inventories', always, waiters),
    onCluster(hubCluster, () => [...hubInventories(d)].flatMap(waiters)),
    onJudged((view, label) => {
      const unit = labels.of(view, label)
      return unit ? inNamespace(unit.ref.namespace, waitersView(d, unit.ref, view.name)) : []
    }),
    onSelection((view, id) => (hasExternalWatcher(hub, view, id) ? inNamespace(view.namespace, view) : [])),
  ]
}

const ownerOf = (i: Stored<Inventory>): ObjectKey[] => {
  const { namespace, owner } = refOfInventory(i)
  return isOfSet(i) || owner === undefined ? [] : [objectKey.of({ namespace, name: owner })]
}
