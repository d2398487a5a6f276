/** Modules and external assemblages whose spec names a selection of objects. */
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../../api/kinds/index.ts'
import { moduleId } from '../../../decisions/graph/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { selectionId } from '../../../fleet/connection/index.ts'
import { type HubInformers, modulesOfCluster, revisionIn } from '../../cache/index.ts'
import { moduleSelections } from '../checkpoint.ts'
import { foreignOf } from './foreignunits.ts'
import { gateEdges } from './gateedges.ts'

/** Whether an edge or a checkpoint of the module names a selection of objects. */
function looksAt(hub: HubInformers, module: Stored<Module>, id: string): boolean {
  const revisions = hub.revisions.store.by('module', moduleId(moduleRefOf(module)))
  const specs = [module.spec, ...[...revisions].map((r) => r.spec)]
  const gates = gateEdges(module).map((e) => e.object)
  return [...specs.flatMap(moduleSelections), ...gates].some((s) => selectionId(s) === id)
}

/** Modules of a cluster that name a selection there. */
export function* moduleWatchers(hub: HubInformers, view: ClusterView, id: string): Iterable<Stored<Module>> {
  for (const module of modulesOfCluster(hub, view)) if (looksAt(hub, module, id)) yield module
}

/** Whether an edge or a checkpoint of an external record names a selection of objects on a cluster. */
export function hasExternalWatcher(
  hub: Pick<HubInformers, 'foreign' | 'revisions'>,
  view: ClusterView,
  id: string,
): boolean {
  for (const { metadata, spec } of foreignOf(hub, view.namespace, view)) {
    for (const { revision } of spec.syncs ?? []) {
      const found = revisionIn(hub, metadata.namespace ?? '', revision)
      if (found && moduleSelections(found.spec).some((s) => selectionId(s) === id)) return true
    }
  }
  return false
}
