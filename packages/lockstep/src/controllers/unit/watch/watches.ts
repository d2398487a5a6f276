/** Which changes concern which units. */
import { keyText, type Stored } from '@lockstep/kube/object'
import type { Approval, ExternalAssemblage, Hold, Inventory } from '../../../api/kinds/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../../deliver/plan/index.ts'
import { type ClusterView, HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import {
  companionRef,
  type HubInformers,
  isOfSet,
  moduleIndexOf,
  modulesOfCluster,
  targetModuleOf,
  targetsPipeline,
} from '../../cache/index.ts'
import {
  admissionChanged,
  always,
  annotationsChanged,
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
  onJudged,
  onObject,
  onSelection,
  publishedRevisionChanged,
  resynced,
  specChanged,
  type UnitKey,
  unitKey,
  type WatchRule,
} from '../../runtime/index.ts'
import {
  dependenciesOf,
  dependentUnits,
  type RouteDeps,
  unitsOfModule,
  waitersView,
  wavesAskedBy,
} from './dependentunits.ts'
import { foreignUnits, foreignUnitsOf } from './foreignunits.ts'
import { changedRecords, groupUnitsOf, unitsOfShard } from './groupunits.ts'
import { hasExternalWatcher, moduleWatchers } from './modulewatchers.ts'
import type { UnitLabels } from './unitlabels.ts'

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
    on('assemblages', always, (a, { before, after }) =>
      [...changedRecords(before, after)].map((ref) => unitKey.of(ref, a.spec.clusterRef.name)),
    ),
    on('foreign', always, (a) => foreignUnits(d, a)),
    on('foreign', any(created, deleted), (a) => modulesBeside(hub, a).flatMap((m) => unitsOfModule(hub, m))),
    on('shards', changed, (s) => unitsOfShard(hub, s)),
    onCluster(anyCluster, (view) => unitsOnCluster(d, view)),
    onObject((view, label) => [labels.of(view, label)].filter((k) => k !== undefined)),
  ]
}

/** Routes for what ends the wait of a unit, by hand: those that its blockers name replace them. */
export const unitWaitWatches = (d: UnitWatchDeps): WatchRule<UnitKey>[] => {
  const { hub, labels } = d
  const ofModule = (ref: ModuleRef, isDeep = false) => dependentUnits(hub, ref, undefined, isDeep)
  const judged = (view: ClusterView, label: string) => labels.of(view, label)?.ref
  return [
    on('modules', changed, (m) => foreignUnitsOf(d, m.metadata.namespace ?? '')),
    on('bootstrapModules', changed, (m) => foreignUnitsOf(d, m.metadata.namespace ?? '')),
    on('modules', changed, (m) => ofModule(moduleRefOf(m)), 'gate'),
    on('bootstrapModules', changed, (m) => ofModule(moduleRefOf(m)), 'gate'),
    on('modules', publishedRevisionChanged, (m) => ofModule(moduleRefOf(m), true), 'gate'),
    on('bootstrapModules', publishedRevisionChanged, (m) => ofModule(moduleRefOf(m), true), 'gate'),
    on('sets', any(specChanged, annotationsChanged), (s) => foreignUnitsOf(d, s.metadata.namespace ?? '')),
    on('sets', any(specChanged, annotationsChanged), (s) => ofModule(companionRef(s)), 'gate'),
    on('revisions', changed, (r) => wavesAskedBy(r).flatMap((ref) => unitsOfModule(hub, ref))),
    on('revisions', changed, (r) => foreignUnitsOf(d, r.namespace)),
    on('inventories', always, (i) => waitersOfInventory(d, i)),
    on('inventories', always, (i) => dependentsOfInventory(d, i), 'gate'),
    on('inventories', admissionChanged, (i) => dependentsOfInventory(d, i, true), 'gate'),
    onCluster(hubCluster, () => [...hubInventories(d)].flatMap((i) => [...waitersOfInventory(d, i)])),
    onCluster(
      hubCluster,
      () => [...hubInventories(d)].flatMap((i) => [...dependentsOfInventory(d, i)]),
      'gate',
    ),
    onCluster(memberCluster, (view) => foreignUnitsOf(d, view.namespace, view)),
    onJudged((view, label) => {
      const ref = judged(view, label)
      return ref ? foreignUnitsOf(d, ref.namespace, waitersView(d, ref, view.name)) : []
    }),
    onJudged((view, label) => {
      const ref = judged(view, label)
      return ref ? dependentUnits(hub, ref, view.name) : []
    }, 'gate'),
    onSelection(
      (view, id) => [...moduleWatchers(hub, view, id)].map((m) => unitKey.of(moduleRefOf(m), view.name)),
      'gate',
    ),
    onSelection((view, id) =>
      hasExternalWatcher(hub, view, id) ? foreignUnitsOf(d, view.namespace, view) : [],
    ),
  ]
}

/** Units of the same cluster group, and external units. */
function* waitersOfInventory(d: RouteDeps, inventory: Stored<Inventory>): Iterable<UnitKey> {
  if (isOfSet(inventory)) return
  const ref = refOfInventory(inventory)
  const { name } = inventory.spec.clusterRef
  for (const group of groupUnitsOf(d.hub, inventory)) yield unitKey.of(group, name)
  if (ref.owner === undefined) yield* foreignUnitsOf(d, ref.namespace, waitersView(d, ref, name))
}

/** Dependents of a unit, and those of its dependencies whose removal or rollback waits for it. */
function* dependentsOfInventory(
  d: RouteDeps,
  inventory: Stored<Inventory>,
  isDeep = false,
): Iterable<UnitKey> {
  const ref = refOfInventory(inventory)
  if (isOfSet(inventory) || ref.owner !== undefined) return
  const { name } = inventory.spec.clusterRef
  yield* dependentUnits(d.hub, ref, name, isDeep)
  for (const { to, cluster, isHeld } of dependenciesOf(d.hub, ref, name))
    if (isHeld) yield unitKey.of(to, cluster)
}
