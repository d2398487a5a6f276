/** Units that a change on the hub concerns. */
import type { Stored } from '@lockstep/kube/object'
import type { Assignment, Inventory, RemoteAssemblage } from '../../../api/kinds/index.ts'
import { BUNDLE_DIGEST_ANNOTATION } from '../../../api/labels.ts'
import { type ModuleRef, refOfId } from '../../../decisions/graph/index.ts'
import { inventoryName, refOfInventory } from '../../../deliver/plan/index.ts'
import { type HubInformers, referenceTo, revisionIn } from '../../cache/index.ts'
import { groupIdOf } from '../../publish/index.ts'
import { type UnitKey, unitKey } from '../../runtime/index.ts'

/** Units that deliver from a bundle, by one of its Secrets: a damaged bundle may be complete now. */
export function* unitsOfShard(hub: HubInformers, { metadata }: Stored): Iterable<UnitKey> {
  const { namespace = '', annotations } = metadata
  const bundle = referenceTo(namespace, annotations?.[BUNDLE_DIGEST_ANNOTATION] ?? '')
  for (const inventory of hub.inventories.store.by('bundle', bundle))
    yield unitKey.of(refOfInventory(inventory), inventory.spec.clusterRef.name)
}

/** Modules whose record in an assemblage is another one, came or went. */
export function* changedRecords(
  before: Stored<RemoteAssemblage> | undefined,
  after: Stored<RemoteAssemblage> | undefined,
): Iterable<ModuleRef> {
  const { namespace = '' } = (after ?? before)!.metadata
  // After a resync every record counts as new.
  const old = (before === after ? undefined : before)?.spec.syncs ?? []
  const refOf = ({ kind, name }: Assignment): ModuleRef => ({ kind, namespace, name })
  const id = ({ kind, name }: Assignment): string => `${kind}/${name}`
  const left = new Map(old.map((s) => [id(s), s]))
  for (const s of after?.spec.syncs ?? []) {
    if (left.get(id(s))?.serial !== s.serial) yield refOf(s)
    left.delete(id(s))
  }
  for (const s of left.values()) yield refOf(s)
}

/** Units of a cluster group that may wait for an application of it, whose Inventory this is. */
export function* groupUnitsOf(hub: HubInformers, inventory: Stored<Inventory>): Iterable<ModuleRef> {
  const ref = refOfInventory(inventory)
  const { clusterRef, admitted } = inventory.spec
  const isWaiting = ({ status }: Pick<Inventory, 'status'>): boolean => status?.health !== 'Healthy'
  if (ref.owner === undefined) {
    const module = hub.module(ref)
    const id = module && groupIdOf(module)
    const group = id === undefined ? undefined : refOfId(id)
    const { namespace } = ref
    const unit =
      group && hub.inventories.store.get({ namespace, name: inventoryName(group, clusterRef.name) })
    if (unit && isWaiting(unit)) yield group
    return
  }
  const published = admitted && revisionIn(hub, ref.namespace, admitted.revision)
  const module = published && hub.module(published.module)
  if (!module || groupIdOf(module) === undefined) return
  for (const i of hub.inventories.store.by('owner', `${ref.namespace}/${ref.owner}`))
    if (i !== inventory && i.spec.clusterRef.name === clusterRef.name && isWaiting(i)) yield refOfInventory(i)
}
