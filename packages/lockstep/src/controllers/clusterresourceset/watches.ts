/** Which changes concern which ClusterResourceSets, their units and their bindings. */
import type { Stored } from '@lockstep/kube/object'
import type { ClusterResourceSet, Inventory } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { setOf } from '../../decisions/resourceset/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterView, Fleet } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import {
  type HubInformers,
  inputSelection,
  isCompanion,
  isOfSet,
  SET_KIND,
  setInventories,
  setRef,
} from '../cache/index.ts'
import {
  always,
  annotationsChanged,
  any,
  anyCluster,
  changed,
  type ObjectKey,
  objectKey,
  on,
  onCluster,
  onSecret,
  resynced,
  specChanged,
  type UnitKey,
  unitKey,
  type WatchRule,
} from '../runtime/index.ts'
import { bindingName } from './setdeps.ts'

export interface SetRouteDeps {
  readonly hub: HubInformers
  readonly fleet: Pick<Fleet, 'view'>
  /** Whether a cluster that has changed concerns a set. */
  readonly concerns: (set: Stored<ClusterResourceSet>, view: ClusterView) => boolean
}

/** The set that delivers by an Inventory: its own, or that of its Module. */
function setOfInventory(hub: HubInformers, inventory: Stored<Inventory>): ModuleRef[] {
  const { namespace = '' } = inventory.metadata
  const name = isOfSet(inventory)
    ? inventory.spec.moduleRef.name
    : setDelivering(hub, refOfInventory(inventory))
  return name === undefined ? [] : [{ kind: SET_KIND, namespace, name }]
}

/** Name of the set whose Module it is; of one that is gone before its Inventories, by its name. */
function setDelivering(hub: HubInformers, ref: ModuleRef): string | undefined {
  const module = hub.module(ref)
  if (module) return setOf(module.metadata)?.name
  for (const { metadata } of hub.sets.all()) if (isCompanion(ref, metadata)) return metadata.name
  return undefined
}

function* setsConcerned(d: SetRouteDeps, view: ClusterView): Iterable<Stored<ClusterResourceSet>> {
  for (const set of d.hub.sets.all())
    if (set.metadata.namespace === view.namespace && d.concerns(set, view)) yield set
}

const keysOf = (sets: Iterable<Stored<ClusterResourceSet>>): ObjectKey[] =>
  [...sets].map((s) => objectKey.of(s.metadata))

/** Sources, Module and Inventories of a set. */
export const setWatches = (d: SetRouteDeps): WatchRule<ObjectKey>[] => {
  const { hub } = d
  return [
    on('inventories', always, (i) => setOfInventory(hub, i).map(objectKey.of)),
    // The set reports the status of its Module, and reverts edits of it.
    on('modules', changed, ({ metadata }) => {
      const owner = setOf(metadata)
      return owner ? [objectKey.of({ namespace: metadata.namespace, name: owner.name })] : []
    }),
    on('configMaps', changed, ({ metadata }) =>
      keysOf(
        [...hub.sets.all()].filter(
          (s) =>
            s.metadata.namespace === metadata.namespace &&
            s.spec.resources?.some((r) => r.kind === 'ConfigMap' && r.name === metadata.name),
        ),
      ),
    ),
    onSecret((id) => keysOf([...hub.sets.all()].filter((s) => namesSecret(s, id)))),
    onCluster(anyCluster, (view) => keysOf(setsConcerned(d, view))),
  ]
}

const namesSecret = ({ metadata, spec }: Stored<ClusterResourceSet>, id: string): boolean =>
  (spec.resources ?? []).some(
    ({ kind, name }) =>
      kind === 'Secret' &&
      selectionId(inputSelection(kind, { namespace: metadata.namespace ?? '', name })) === id,
  )

export const setUnitWatches = (d: SetRouteDeps): WatchRule<UnitKey>[] => {
  const { hub } = d
  return [
    // Units ignore the status of their set. A resync follows a change of the definition, which decides who may write.
    on('sets', any(resynced, specChanged, annotationsChanged), (set) =>
      setInventories(hub, set).map((i) => unitKey.of(setRef(set), i.spec.clusterRef.name)),
    ),
    onCluster(anyCluster, (view) =>
      [...setsConcerned(d, view)].map((set) => unitKey.of(setRef(set), view.name)),
    ),
  ]
}

export const unitOfSet = (hub: HubInformers, i: Stored<Inventory>): UnitKey[] =>
  setOfInventory(hub, i).map((set) => unitKey.of(set, i.spec.clusterRef.name))

export const bindingWatches = ({ fleet }: Pick<SetRouteDeps, 'fleet'>): WatchRule<ObjectKey>[] => [
  on('inventories', always, (i) => {
    if (!isOfSet(i)) return []
    const { namespace = '' } = i.metadata
    return [objectKey.of({ namespace, name: bindingName({ fleet }, namespace, i.spec.clusterRef.name) })]
  }),
  // A recreated Cluster gets its binding again; the binding of a deleted one is deleted.
  onCluster(
    ({ kind }) => kind === 'ClusterAPI',
    ({ namespace, objectName }) => [objectKey.of({ namespace, name: objectName })],
  ),
]
