/** Which changes concern which external assemblages. */
import type { Stored } from '@lockstep/kube/object'
import type { ExternalAssemblage, Inventory } from '../../api/kinds/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import { type HubInformers, isOfSet } from '../cache/index.ts'
import {
  always,
  hubCluster,
  memberCluster,
  type ObjectKey,
  objectKey,
  on,
  onCluster,
  type WatchRule,
} from '../runtime/index.ts'
import { externalAssemblagesOn, hubInventories } from '../unit/index.ts'

interface ExternalRouteDeps {
  readonly hub: Pick<HubInformers, 'foreign' | 'inventories'>
}

const keysOf = (all: Iterable<Stored<ExternalAssemblage>>): ObjectKey[] =>
  [...all].map((a) => objectKey.of(a.metadata))

/** Its own units. */
export const externalWatches = (d: ExternalRouteDeps): WatchRule<ObjectKey>[] => [
  on('inventories', always, ownerOf),
  onCluster(memberCluster, (view) => keysOf(externalAssemblagesOn(d.hub, view))),
  onCluster(hubCluster, () => [...hubInventories(d)].flatMap(ownerOf)),
]

const ownerOf = (i: Stored<Inventory>): ObjectKey[] => {
  const { namespace, owner } = refOfInventory(i)
  return isOfSet(i) || owner === undefined ? [] : [objectKey.of({ namespace, name: owner })]
}
