/** Which changes concern which Modules. */
import type { Stored } from '@lockstep/kube/object'
import type { Approval, Hold, Inventory, Module } from '../../api/kinds/index.ts'
import { type ModuleRef, refOfId } from '../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import { allModules, companionRef, inputSelection, isOfSet, moduleIndexOf } from '../cache/index.ts'
import { groupIdOf } from '../publish/index.ts'
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
  type ModuleKey,
  moduleKey,
  on,
  onCluster,
  onJudged,
  onSecret,
  onSelection,
  publishedRevisionChanged,
  resynced,
  specChanged,
  type WatchIndex,
  type WatchRule,
} from '../runtime/index.ts'
import {
  changedRecords,
  dependenciesOf,
  dependentModules,
  hubInventories,
  modulesBeside,
  modulesNeededByForeign,
  modulesOnCluster,
  moduleWatchers,
  targetsOf,
  type UnitWatchDeps,
  wavesAskedBy,
} from '../unit/index.ts'

export interface ModuleWatchDeps extends UnitWatchDeps {
  readonly watchIndex: WatchIndex
}

const keysOf = (refs: Iterable<ModuleRef>): ModuleKey[] => [...refs].map(moduleKey.of)

/** Inputs of a Module, and its units. */
export const moduleWatches = (d: ModuleWatchDeps): WatchRule<ModuleKey>[] => {
  const { hub } = d
  const targets = (_: Stored<Hold | Approval>, change: CacheChange<Stored<Hold | Approval>>) =>
    keysOf(targetsOf(change))
  return [
    on('bootstrapModules', always, (m) => keysOf([moduleRefOf(m)])),
    on('sets', any(specChanged, annotationsChanged), (s) => keysOf([companionRef(s)])),
    on('revisions', changed, (r) => keysOf([r.module])),
    on('holds', any(specChanged, resynced), targets),
    on('approvals', any(specChanged, resynced), targets),
    on('configMaps', changed, (o) => usersOfConfigMap(d, o)),
    onSecret((id) => usersOfSecret(d, id)),
    on('assemblages', always, (_, { before, after }) => keysOf(changedRecords(before, after))),
    on('foreign', any(created, deleted), (a) => keysOf(modulesBeside(hub, a))),
    on('inventories', always, (i) => moduleOfInventory(i)),
    onCluster(anyCluster, (view) => keysOf(modulesOnCluster(d, view))),
    onCluster(hubCluster, () => [...hubInventories(d)].flatMap(moduleOfInventory)),
  ]
}

/** Routes for what ends the wait of a Module, by hand: those that its blockers name replace them. */
export const moduleWaitWatches = (d: ModuleWatchDeps): WatchRule<ModuleKey>[] => {
  const { hub, labels } = d
  const dependants = (m: Stored<Module>) => keysOf(dependentModules(hub, moduleRefOf(m)))
  const allDependants = (m: Stored<Module>) => keysOf(dependentModules(hub, moduleRefOf(m), true))
  return [
    on('modules', changed, groupOfModule),
    on('bootstrapModules', changed, groupOfModule),
    on('modules', changed, dependants, 'gate'),
    on('bootstrapModules', changed, dependants, 'gate'),
    on('modules', publishedRevisionChanged, allDependants, 'gate'),
    on('bootstrapModules', publishedRevisionChanged, allDependants, 'gate'),
    on(
      'sets',
      any(specChanged, annotationsChanged),
      (s) => keysOf(dependentModules(hub, companionRef(s))),
      'gate',
    ),
    on('revisions', changed, (r) => keysOf(wavesAskedBy(r))),
    on('inventories', always, (i) => waitersOfInventory(d, i), 'gate'),
    on('inventories', admissionChanged, (i) => waitersOfInventory(d, i, true), 'gate'),
    onCluster(hubCluster, () => [...hubInventories(d)].flatMap((i) => waitersOfInventory(d, i)), 'gate'),
    onJudged((view, label) => {
      const unit = labels.of(view, label)
      return unit ? keysOf(dependentModules(hub, unit.ref)) : []
    }, 'gate'),
    onSelection(
      (view: ClusterView, id) => keysOf([...moduleWatchers(hub, view, id)].map(moduleRefOf)),
      'gate',
    ),
  ]
}

function groupOfModule(module: Stored<Module>): ModuleKey[] {
  const id = groupIdOf(module)
  return id === undefined ? [] : [moduleKey.of(refOfId(id))]
}

const moduleOfInventory = (i: Stored<Inventory>): ModuleKey[] => {
  const ref = refOfInventory(i)
  return isOfSet(i) || ref.owner !== undefined ? [] : [moduleKey.of(ref)]
}

/** Modules that wait for a unit, and those whose removal waits for it. */
function waitersOfInventory(d: ModuleWatchDeps, i: Stored<Inventory>, isDeep = false): ModuleKey[] {
  if (isOfSet(i)) return []
  const ref = refOfInventory(i)
  if (ref.owner !== undefined) return keysOf(modulesNeededByForeign(d.hub, i))
  const needed = dependenciesOf(d.hub, ref, i.spec.clusterRef.name).map(({ to }) => to)
  return keysOf([...dependentModules(d.hub, ref, isDeep), ...needed])
}

/** Modules whose source a ConfigMap is, or whose bindings are made of it. */
function usersOfConfigMap({ hub, watchIndex }: ModuleWatchDeps, { metadata }: Stored): ModuleKey[] {
  const named = [...moduleIndexOf(hub, metadata.namespace ?? '')].filter((m) =>
    namedInputs(m.spec).some((i) => i.kind === 'ConfigMap' && i.name === metadata.name),
  )
  const id = selectionId(inputSelection('ConfigMap', metadata))
  const bound = watchIndex.of({ view: undefined, id }).flatMap(({ key }) => (moduleKey.is(key) ? [key] : []))
  return [...keysOf(named.map(moduleRefOf)), ...bound]
}

/** Modules that name a Secret, by the id of its selection. */
const usersOfSecret = ({ hub }: ModuleWatchDeps, id: string): ModuleKey[] =>
  keysOf(
    allModules(hub)
      .filter(({ metadata: { namespace = '' }, spec }) =>
        namedInputs(spec).some(
          ({ kind, name }) =>
            kind === 'Secret' && selectionId(inputSelection(kind, { namespace, name })) === id,
        ),
      )
      .map(moduleRefOf),
  )
