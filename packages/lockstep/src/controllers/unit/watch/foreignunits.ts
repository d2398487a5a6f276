/** Units of external assemblages. */
import type { Stored } from '@lockstep/kube/object'
import type { ExternalAssemblage, Inventory } from '../../../api/kinds/index.ts'
import { type ModuleRef, moduleEdges } from '../../../decisions/graph/index.ts'
import { refOfInventory } from '../../../deliver/plan/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import { clusterOfExternal, externalRef, type HubInformers, revisionIn } from '../../cache/index.ts'
import { type UnitKey, unitKey } from '../../runtime/index.ts'
import type { RouteDeps } from './dependentunits.ts'

/** Units of an assemblage: those that it has records of, and those that are left of it. */
export function foreignUnits({ hub, fleet }: RouteDeps, assemblage: Stored<ExternalAssemblage>): UnitKey[] {
  const { namespace, name } = assemblage.metadata
  const cluster = clusterOfExternal(fleet, assemblage)?.name ?? assemblage.spec.clusterRef.name
  const found = (assemblage.spec.syncs ?? []).map((s) => unitKey.of(externalRef(assemblage, s), cluster))
  for (const i of hub.inventories.store.by('owner', `${namespace}/${name}`))
    found.push(unitKey.of(refOfInventory(i), i.spec.clusterRef.name))
  return found
}

/** Assemblages of a namespace; of one cluster, by its name or that of its object. */
export function* foreignOf(
  hub: Pick<HubInformers, 'foreign'>,
  namespace: string,
  view?: ClusterView,
): Iterable<Stored<ExternalAssemblage>> {
  if (!view) return yield* hub.foreign.store.by('namespace', namespace)
  for (const name of new Set([view.name, view.objectName]))
    yield* hub.foreign.store.by('cluster', `${namespace}/${name}`)
}

/** Modules that a unit relies on, by what is admitted of it. */
export function modulesNeededByForeign(
  hub: Pick<HubInformers, 'revisions'>,
  inventory: Stored<Inventory>,
): ModuleRef[] {
  const { admitted } = inventory.spec
  const { namespace = '' } = inventory.metadata
  const record = admitted && revisionIn(hub, namespace, admitted.revision)
  return moduleEdges(record?.edges ?? []).map((e) => e.to)
}

/** Units of all external assemblages in a namespace, or on one cluster of it. */
export function* foreignUnitsOf(d: RouteDeps, namespace: string, view?: ClusterView): Iterable<UnitKey> {
  for (const a of foreignOf(d.hub, namespace, view)) yield* foreignUnits(d, a)
}
