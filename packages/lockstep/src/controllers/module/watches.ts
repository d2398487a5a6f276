/** Which changes concern which Modules. */
import type { Stored } from '@lockstep/kube/object'
import type { Approval, Hold, Inventory, Module } from '../../api/kinds/index.ts'
import { type ModuleRef, refOfId } from '../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../deliver/plan/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import { allModules, companionRef, inputSelection, isOfSet, moduleIndexOf } from '../cache/index.ts'
import { credentialInputs, groupIdOf } from '../publish/index.ts'
import {
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
  onSecret,
  resynced,
  specChanged,
  type WatchIndex,
  type WatchRule,
} from '../runtime/index.ts'
import {
  hubInventories,
  modulesBeside,
  modulesOnCluster,
  targetsOf,
  type UnitWatchDeps,
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
    on('foreign', any(created, deleted), (a) => keysOf(modulesBeside(hub, a))),
    on('inventories', always, (i) => moduleOfInventory(i)),
    onCluster(anyCluster, (view) => keysOf(modulesOnCluster(d, view))),
    onCluster(hubCluster, () => [...hubInventories(d)].flatMap(moduleOfInventory)),
  ]
}

/** The Module that has this one as an application. */
export function groupOfModule(module: Stored<Module>): ModuleKey[] {
  const id = groupIdOf(module)
  return id === undefined ? [] : [moduleKey.of(refOfId(id))]
}

const moduleOfInventory = (i: Stored<Inventory>): ModuleKey[] => {
  const ref = refOfInventory(i)
  return isOfSet(i) || ref.owner !== undefined ? [] : [moduleKey.of(ref)]
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
        [...namedInputs(spec), ...credentialInputs(spec)].some(
          ({ kind, name }) =>
            kind === 'Secret' && selectionId(inputSelection(kind, { namespace, name })) === id,
        ),
      )
      .map(moduleRefOf),
  )
