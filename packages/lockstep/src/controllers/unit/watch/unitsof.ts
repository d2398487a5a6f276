/** Units that an object of the hub is about. */
import type { Stored } from '@lockstep/kube/object'
import type { ExternalAssemblage } from '../../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION } from '../../../api/labels.ts'
import { type ModuleRef, moduleId } from '../../../decisions/graph/index.ts'
import { refOfInventory } from '../../../deliver/plan/index.ts'
import type { ClusterView, FleetReader } from '../../../fleet/clusters/index.ts'
import { clusterOfExternal, externalRef, type HubInformers, referenceTo } from '../../cache/index.ts'
import { type UnitKey, unitKey } from '../../runtime/index.ts'

/** Caches that rules read, without a connection to a cluster. */
export interface RouteDeps {
  readonly hub: HubInformers
  readonly fleet: Pick<FleetReader, 'view' | 'of'>
}

export const unitsOfModule = (hub: HubInformers, ref: ModuleRef): UnitKey[] =>
  [...hub.inventories.store.by('module', moduleId(ref))].map((i) => unitKey.of(ref, i.spec.clusterRef.name))

/** Units that deliver from a bundle, by one of its Secrets: a damaged bundle may be complete now. */
export function* unitsOfShard(hub: HubInformers, { metadata }: Stored): Iterable<UnitKey> {
  const { namespace = '', annotations } = metadata
  const bundle = referenceTo(namespace, annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? '')
  for (const inventory of hub.inventories.store.by('bundle', bundle))
    yield unitKey.of(refOfInventory(inventory), inventory.spec.clusterRef.name)
}

/** Units of an assemblage: those that it has records of, and those that are left of it. */
export function externalUnits({ hub, fleet }: RouteDeps, assemblage: Stored<ExternalAssemblage>): UnitKey[] {
  const { namespace, name } = assemblage.metadata
  const cluster = clusterOfExternal(fleet, assemblage)?.name ?? assemblage.spec.clusterRef.name
  const found = (assemblage.spec.syncs ?? []).map((s) => unitKey.of(externalRef(assemblage, s), cluster))
  for (const i of hub.inventories.store.by('owner', `${namespace}/${name}`))
    found.push(unitKey.of(refOfInventory(i), i.spec.clusterRef.name))
  return found
}

/** External assemblages of one cluster of a namespace, by its name or that of its object. */
export function* externalAssemblagesOn(
  hub: Pick<HubInformers, 'foreign'>,
  { namespace, name, objectName }: ClusterView,
): Iterable<Stored<ExternalAssemblage>> {
  for (const of of new Set([name, objectName])) yield* hub.foreign.store.by('cluster', `${namespace}/${of}`)
}
