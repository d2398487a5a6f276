/**
 * Bindings as Cluster API writes them: of each cluster all that its Inventories say of sets. What others erase or put back
 * is written again; nothing is applied again for it.
 */

import type { KubeResult } from '@lockstep/kube/client'
import { keyOf, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import {
  type BindingResource,
  CAPI_PAUSED,
  type ClusterResourceSet,
  type ClusterResourceSetBinding,
  type Inventory,
  PAUSED_BY_US,
  resourceSetBindingKinds,
  type SetSourceRecord,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import { withBindingEntry } from '../../decisions/resourceset/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { isManagedSet, isOwnDefinition, SET_KIND } from '../cache/index.ts'
import {
  always,
  type Controller,
  defineController,
  failed,
  type ObjectKey,
  objectKey,
  on,
  requeueAfter,
} from '../runtime/index.ts'
import type { SetDeps } from './setdeps.ts'
import { setOwnerOf } from './sourceowners.ts'
import { bindingWatches } from './watches.ts'

type StoredBinding = Stored<ClusterResourceSetBinding>

/** Its key is that of a Cluster object, which is that of the binding. */
export function bindingController(d: SetDeps): Controller<ObjectKey> {
  const reconciler = new BindingReconciler(d)
  return defineController({
    name: 'set-binding',
    key: objectKey,
    for: on('setBindings', always),
    watches: bindingWatches(d),
    reconcile: (key) => reconciler.reconcile(key),
  })
}

class BindingReconciler {
  private readonly c: SetDeps

  constructor(d: SetDeps) {
    this.c = d
  }

  async reconcile({ namespace, name: cluster }: ObjectKey): Promise<ReconcileResult> {
    const known = this.c.hub.setBindings.get({ namespace, name: cluster })
    if (known && isLeft(this.c, known)) return this.drop(known)
    const wanted = desiredBinding(this.c, namespace, cluster, known)
    if (!wanted || wanted === known) return { ok: true }
    const done = await this.write(wanted, known)
    if (done.ok) {
      this.c.hub.setBindings.observeWrite(done.value)
      return { ok: true }
    }
    const lost = failed(done.error)
    // Whoever else writes there has its turn: not both at once again (#10656).
    return lost.ok ? requeueAfter(JITTER_MS + Math.floor(this.c.env.random.next() * SPREAD_MS)) : lost
  }

  private async drop(known: StoredBinding): Promise<ReconcileResult> {
    const { uid, resourceVersion } = known.metadata
    const gone = await this.c.hub.own.delete(kindOn(this.c), keyOf(known), {
      purpose: 'record',
      manager: MANAGER,
      precondition: { uid, resourceVersion },
    })
    return gone.ok || gone.error.kind === 'NotFound' ? { ok: true } : failed(gone.error)
  }

  private write(
    wanted: ClusterResourceSetBinding,
    known: StoredBinding | undefined,
  ): Promise<KubeResult<StoredBinding>> {
    const kind = kindOn(this.c)
    const write = { purpose: 'record', manager: MANAGER } as const
    return known
      ? this.c.hub.own.update(kind, wanted as StoredBinding, write)
      : this.c.hub.own.create(kind, wanted, write)
  }
}

/** After so long a write that lost against another one is tried again, and at most so much later. */
const JITTER_MS = 50
const SPREAD_MS = 150

const resourceOf = ({ kind, name, hash, lastAppliedTime, applied }: SetSourceRecord): BindingResource => ({
  kind,
  name,
  hash,
  applied,
  ...(lastAppliedTime === undefined ? {} : { lastAppliedTime }),
})

const kindOn = ({ hub }: Pick<SetDeps, 'hub'>) => hub.setBindings.kind ?? resourceSetBindingKinds[0]!

/** The Cluster of a binding, by the name of its object: units may know it by another one. */
const clusterOf = (
  { fleet }: Pick<SetDeps, 'fleet'>,
  namespace: string,
  objectName: string,
): ClusterView | undefined => fleet.viewOf({ kind: 'ClusterAPI', namespace, objectName })

/**
 * The binding of a cluster as its Inventories want it; the very same object where it says so already. Of a Cluster that is
 * being deleted or gone it is as it is: Cluster API deletes it, as often as it is there (`clusterresourcesetbinding_controller.go`).
 */
export function desiredBinding(
  c: Pick<SetDeps, 'hub' | 'fleet'>,
  namespace: string,
  cluster: string,
  known: StoredBinding | undefined,
): ClusterResourceSetBinding | undefined {
  const { hub } = c
  const view = clusterOf(c, namespace, cluster)
  if (!view || view.deleting) return known
  let wanted: ClusterResourceSetBinding | undefined = known
  for (const inventory of inventoriesOn(hub, namespace, view.name)) {
    const set = hub.sets.get({ namespace, name: inventory.spec.moduleRef.name })
    if (!set || set.metadata.deletionTimestamp !== undefined || !isHeld(hub, set)) continue
    const sources = inventory.spec.set?.sources ?? []
    if (sources.length > 0)
      wanted = withBindingEntry(wanted, { namespace, cluster }, setOwnerOf(hub, set), sources.map(resourceOf))
  }
  return wanted
}

/**
 * Its Cluster is gone, and there is no Cluster API to delete it: only what is written down elsewhere, too, for the day on
 * which the Cluster is back.
 */
function isLeft(c: Pick<SetDeps, 'hub' | 'fleet'>, { metadata, spec }: StoredBinding): boolean {
  const { namespace = '', name } = metadata
  if (!isOwnDefinition(c.hub) || clusterOf(c, namespace, name)) return false
  const known = new Set(inventoriesOn(c.hub, namespace, name).map((i) => i.spec.moduleRef.name))
  return spec.bindings?.every((b) => known.has(b.clusterResourceSetName)) === true
}

/** Also of one that is about to go back: nobody else writes there before the pause goes. */
const isHeld = (hub: SetDeps['hub'], set: Stored<ClusterResourceSet>): boolean =>
  isManagedSet(hub, set) || set.metadata.annotations?.[CAPI_PAUSED] === PAUSED_BY_US

/** By the names of their sets: a new binding has its entries in one order. */
const inventoriesOn = (hub: SetDeps['hub'], namespace: string, cluster: string): Stored<Inventory>[] =>
  [...hub.inventories.store.by('cluster', `${namespace}/${cluster}`)]
    .filter((i) => i.spec.moduleRef.kind === SET_KIND && i.metadata.deletionTimestamp === undefined)
    .sort((a, b) => (a.spec.moduleRef.name < b.spec.moduleRef.name ? -1 : 1))
