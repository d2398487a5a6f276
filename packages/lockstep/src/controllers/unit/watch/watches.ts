/** Which changes concern which units. */
import { keyText, type Stored } from '@lockstep/kube/object'
import type { Approval, ExternalAssemblage, Hold, Inventory } from '../../../api/kinds/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../../deliver/plan/index.ts'
import { type ClusterView, HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import {
  type HubInformers,
  isOfSet,
  moduleIndexOf,
  modulesOfCluster,
  targetModuleOf,
  targetsPipeline,
} from '../../cache/index.ts'
import {
  always,
  any,
  anyCluster,
  type CacheChange,
  changed,
  created,
  deleted,
  hubCluster,
  memberCluster,
  on,
  onCluster,
  onObject,
  resynced,
  specChanged,
  type UnitKey,
  unitKey,
  type WatchRule,
} from '../../runtime/index.ts'
import type { UnitLabels } from './unitlabels.ts'
import {
  externalAssemblagesOn,
  externalUnits,
  type RouteDeps,
  unitsOfModule,
  unitsOfShard,
} from './unitsof.ts'

export interface UnitWatchDeps extends RouteDeps {
  readonly labels: UnitLabels
}

interface HubInventoriesDeps {
  readonly hub: Pick<HubInformers, 'inventories'>
}

/** Inventories of the hub as a cluster, which is one of every namespace. */
export function* hubInventories({ hub }: HubInventoriesDeps): Iterable<Stored<Inventory>> {
  for (const i of hub.inventories.store.all())
    if (i.spec.clusterRef.name === HUB_CLUSTER && !isOfSet(i)) yield i
}

export const unitOfInventory = (i: Stored<Inventory>): UnitKey[] =>
  isOfSet(i) ? [] : [unitKey.of(refOfInventory(i), i.spec.clusterRef.name)]

/** Modules that may be on a cluster that has changed; on the hub, those that ask for it. */
export function* modulesOnCluster({ hub }: Pick<RouteDeps, 'hub'>, view: ClusterView): Iterable<ModuleRef> {
  for (const module of modulesOfCluster(hub, view))
    if (!hubCluster(view) || module.spec.targets?.hub === true) yield moduleRefOf(module)
}

function* unitsOnCluster(d: RouteDeps, view: ClusterView): Iterable<UnitKey> {
  for (const ref of modulesOnCluster(d, view)) yield unitKey.of(ref, view.name)
  const left = hubCluster(view)
    ? hubInventories(d)
    : d.hub.inventories.store.by('cluster', keyText({ namespace: view.namespace, name: view.name }))
  for (const i of left) yield* unitOfInventory(i)
}

/** Modules of the namespace of an external assemblage, which may have the name of one of their clusters. */
export const modulesBeside = (hub: HubInformers, { metadata }: Stored<ExternalAssemblage>): ModuleRef[] =>
  [...moduleIndexOf(hub, metadata.namespace ?? '')].map(moduleRefOf)

/** Modules that a Hold or an Approval is about, or was about before: it is news for both. */
export const targetsOf = ({ before, after }: CacheChange<Stored<Hold | Approval>>): ModuleRef[] =>
  [before, after].flatMap((o) => (o && !targetsPipeline(o) ? [targetModuleOf(o)] : []))

/** Inputs of a unit, and its Inventory. */
export const unitWatches = (d: UnitWatchDeps): WatchRule<UnitKey>[] => {
  const { hub, labels } = d
  const unitsOfTargets = (
    _: Stored<Hold | Approval>,
    change: CacheChange<Stored<Hold | Approval>>,
  ): UnitKey[] => targetsOf(change).flatMap((ref) => unitsOfModule(hub, ref))
  return [
    on('modules', always, (m) => unitsOfModule(hub, moduleRefOf(m))),
    on('bootstrapModules', always, (m) => unitsOfModule(hub, moduleRefOf(m))),
    on('revisions', changed, (r) => unitsOfModule(hub, r.module)),
    on('holds', any(specChanged, resynced), unitsOfTargets),
    on('approvals', any(specChanged, resynced), unitsOfTargets),
    on('foreign', always, (a) => externalUnits(d, a)),
    on('foreign', any(created, deleted), (a) => modulesBeside(hub, a).flatMap((m) => unitsOfModule(hub, m))),
    on('shards', changed, (s) => unitsOfShard(hub, s)),
    onCluster(anyCluster, (view) => unitsOnCluster(d, view)),
    onCluster(memberCluster, (view) =>
      [...externalAssemblagesOn(hub, view)].flatMap((a) => externalUnits(d, a)),
    ),
    onObject((view, label) => [labels.of(view, label)].filter((k) => k !== undefined)),
  ]
}
