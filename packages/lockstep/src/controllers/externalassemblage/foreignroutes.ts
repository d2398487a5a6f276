/** Whose business a change is among the units of others. */
import type { Stored } from '@lockstep/kube/object'
import type { ExternalAssemblage, Inventory } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleEdges } from '../../decisions/graph/index.ts'
import { moduleRefOf, refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterView, FleetReader } from '../../fleet/clusters/index.ts'
import { selectionId } from '../../fleet/connection/index.ts'
import {
  clusterOfExternal,
  externalRef,
  type HubInformers,
  moduleIndexOf,
  revisionIn,
} from '../cache/index.ts'
import { moduleSelections } from '../unit/index.ts'

type FleetLookup = Pick<FleetReader, 'view' | 'of'>

export interface ForeignUnit {
  readonly ref: ModuleRef
  readonly cluster: string
}

/** Units of an assemblage: those that it has records of, and those that are left of it. */
export function foreignUnits(
  hub: Pick<HubInformers, 'inventories'>,
  fleet: FleetLookup,
  assemblage: Stored<ExternalAssemblage>,
): ForeignUnit[] {
  const { namespace, name } = assemblage.metadata
  const cluster = clusterOfExternal(fleet, assemblage)?.name ?? assemblage.spec.clusterRef.name
  const found = (assemblage.spec.syncs ?? []).map((s) => ({ ref: externalRef(assemblage, s), cluster }))
  for (const i of hub.inventories.store.by('owner', `${namespace}/${name}`))
    found.push({ ref: refOfInventory(i), cluster: i.spec.clusterRef.name })
  return found
}

/** Assemblages of a namespace; of one cluster, by its name or that of its object. */
export function* foreignOf(
  hub: Pick<HubInformers, 'foreign'>,
  namespace: string,
  view: ClusterView | undefined,
): Iterable<Stored<ExternalAssemblage>> {
  if (!view) return yield* hub.foreign.store.by('namespace', namespace)
  for (const name of new Set([view.name, view.objectName]))
    yield* hub.foreign.store.by('cluster', `${namespace}/${name}`)
}

/** Modules whose assemblage it may keep from being made: it may have the name of a cluster. */
export const besideForeign = (hub: HubInformers, { metadata: { namespace = '' } }: Stored): ModuleRef[] =>
  [...moduleIndexOf(hub, namespace)].map(moduleRefOf)

/** Whether an edge or a checkpoint of a record looks at a selection of objects on a cluster. */
export function foreignLooksAt(
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

/** Modules that a unit relies on, by what is admitted of it. */
export function neededByForeign(
  hub: Pick<HubInformers, 'revisions'>,
  inventory: Stored<Inventory>,
): ModuleRef[] {
  const { admitted } = inventory.spec
  const { namespace = '' } = inventory.metadata
  const record = admitted && revisionIn(hub, namespace, admitted.revision)
  return moduleEdges(record?.edges ?? []).map((e) => e.to)
}
