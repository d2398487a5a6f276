/** Modules and BootstrapModules together, out of the caches. */
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { moduleKey, type Request, requestOf } from '../runtime/index.ts'
import type { HubCaches } from './hubcaches.ts'

export const MODULE_CONTROLLER = 'module'

export const moduleRequest = (ref: ModuleRef): Request => requestOf(MODULE_CONTROLLER, moduleKey.of(ref))

export const allModules = (hub: HubCaches): Stored<Module>[] => [
  ...hub.modules.store.all(),
  ...hub.bootstrapModules.store.all(),
]

export function* moduleIndexOf(hub: HubCaches, namespace: string): Iterable<Stored<Module>> {
  yield* hub.modules.store.by('namespace', namespace)
  yield* hub.bootstrapModules.store.by('namespace', namespace)
}

/** The hub is a cluster of every namespace. */
export const modulesOfCluster = (hub: HubCaches, view: ClusterView): Iterable<Stored<Module>> =>
  view.access.type === 'Hub' ? allModules(hub) : moduleIndexOf(hub, view.namespace)
