/** What one look at a unit starts from, and the writes of its Inventory that several steps share. */

import type { RequestError } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Account } from '../../api/account.ts'
import { type Assignment, type Inventory, type InventorySpec, inventoryKind } from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import type { UnitMemory } from '../../deliver/state/index.ts'
import type { ClusterView, Fleet } from '../../fleet/clusters/index.ts'
import type { ClusterSession } from '../../fleet/connection/index.ts'
import type { BundleStore } from '../../sources/intake/index.ts'
import {
  type DigestKeys,
  type HubCaches,
  type HubInformers,
  type RevisionRecord,
  revisionIn,
  revisionName,
  type SetPlans,
  type StampStore,
} from '../cache/index.ts'
import type { ClaimParts } from '../claims/index.ts'
import {
  type EventRecorder,
  type Request,
  requestOf,
  type StatusWriter,
  unitKey,
  type WatchIndex,
} from '../runtime/index.ts'

/** Sources and marks of the objects of a unit. */
export interface UnitContent {
  readonly bundles: BundleStore
  readonly keys: DigestKeys
  readonly stampStore: StampStore
  /** ClusterResourceSets, some of which own Modules. */
  readonly sets: SetPlans
  /** Objects of other units. */
  readonly claims: ClaimParts
}

/** Dependencies of the controller of units. */
export interface UnitDeps {
  readonly env: Env
  readonly hub: HubInformers
  readonly fleet: Fleet
  readonly events: EventRecorder
  readonly status: StatusWriter
  readonly watchIndex: WatchIndex
  readonly content: UnitContent
}

/** A nonce for an intent, by which this process recognizes its own. */
export function newNonce({ env }: Pick<UnitDeps, 'env'>, { memory }: Pick<UnitScope, 'memory'>): string {
  const nonce = env.random.uuid()
  memory.announced.add(nonce)
  return nonce
}

export const UNIT_CONTROLLER = 'unit'

/** `cluster` is the cluster's name in the module's namespace. */
export const unitRequest = (ref: ModuleRef, cluster: string): Request =>
  requestOf(UNIT_CONTROLLER, unitKey.of(ref, cluster))

/** With whose rights a unit is delivered where it is delivered to the hub. */
export const accountOfUnit = (hub: Pick<HubInformers, 'published'>, ref: ModuleRef): Account => ({
  namespace: ref.namespace,
  name: hub.published(ref)?.spec.serviceAccountName,
})

/** Everything that one look at a unit starts from. */
export interface UnitScope {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly session: ClusterSession
  readonly record: Assignment | undefined
  readonly inventory: Stored<Inventory>
  readonly memory: UnitMemory
  readonly label: string
}

/** The apply settings, health settings and namespace that a revision was published with. */
export function revisionOfUnit(
  c: { readonly hub: Pick<HubCaches, 'revisions'> },
  ref: ModuleRef,
  revision: string,
): RevisionRecord | undefined {
  const { namespace } = ref
  if (ref.owner !== undefined) return revisionIn(c.hub, namespace, revision)
  return c.hub.revisions.store.get({ namespace, name: revisionName(ref, revision) })
}

/** From the first admission on the unit belongs to the cluster that answers now. */
export function contacted(
  inventory: Stored<Inventory>,
  { uid }: Pick<ClusterSession, 'uid'>,
): Stored<Inventory> {
  const { clusterUid, admitted } = inventory.spec
  if (clusterUid !== '' || admitted || uid === undefined) return inventory
  return { ...inventory, spec: { ...inventory.spec, clusterUid: uid } }
}

/** Writes the Inventory's spec on the version that was read. */
export async function writeInventory(
  c: Pick<UnitDeps, 'hub'>,
  inventory: Stored<Inventory>,
  spec: InventorySpec,
): Promise<{ ok: true; value: Stored<Inventory> } | { ok: false; error: RequestError }> {
  const done = await c.hub.own.update(
    inventoryKind,
    { ...inventory, spec },
    { purpose: 'inventory', manager: MANAGER },
  )
  if (done.ok) c.hub.inventories.observeWrite(done.value)
  return done
}
