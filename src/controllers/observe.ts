/** The gate's view of the world, out of the caches. */
import type { Stored } from '../api/kind.ts'
import type { Inventory, Module } from '../api/registry.ts'
import type { Observation, Published, UnitSeen } from '../core/gate/gate.ts'
import type { ModuleRef } from '../core/graph/module.ts'
import { assemblageName, inventoryName } from '../deliver/names.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { selectsCluster } from '../fleet/targets.ts'
import type { Hub } from './hub.ts'
import { revisionName } from './revisions.ts'

/** What a module has published; undefined: nothing, or its ControllerRevision has not been seen yet. */
export function publishedOf(hub: Hub, ref: ModuleRef, module: Stored<Module>): Published | undefined {
  const revision = module.status?.currentRevision
  if (revision === undefined) return undefined
  const record = hub.revisions.store.get({ namespace: ref.namespace, name: revisionName(ref, revision) })
  if (!record || record.revision !== revision) return undefined
  return { revision, release: record.release, attempt: module.spec.attempt, edges: record.edges }
}

export function unitSeenOf(inventory: Stored<Inventory>): UnitSeen {
  const { admitted } = inventory.spec
  const { status } = inventory
  const isCurrent = admitted !== undefined && status?.admittedSerial === admitted.serial
  return {
    uid: inventory.metadata.uid,
    resourceVersion: inventory.metadata.resourceVersion,
    admittedRevision: admitted?.revision,
    admittedGateDigest: admitted?.gateDigest,
    admittedRelease: admitted?.release,
    verifiedGateDigest: isCurrent ? status.verifiedGateDigest : undefined,
    healthy: isCurrent && status.health === 'Healthy' && inventory.metadata.deletionTimestamp === undefined,
    detail: (isCurrent && status.blockers?.[0]?.message) || 'it is being delivered',
  }
}

/** `live` holds what was read just now; everything else comes from the caches. */
export interface LiveReads {
  readonly modules: ReadonlyMap<string, Stored<Module> | undefined>
  readonly inventories: ReadonlyMap<string, Stored<Inventory> | undefined>
}

export function observationOf(hub: Hub, fleet: Fleet, live?: LiveReads): Observation {
  const moduleAt = (ref: ModuleRef): Stored<Module> | undefined => {
    const id = `${ref.kind}/${ref.namespace}/${ref.name}`
    return live?.modules.has(id) ? live.modules.get(id) : hub.module(ref)
  }
  return {
    module(ref) {
      const module = moduleAt(ref)
      return module && { published: publishedOf(hub, ref, module) }
    },
    selects(ref, cluster) {
      const module = moduleAt(ref)
      const view = fleet.view(ref.namespace, cluster)
      return module !== undefined && view !== undefined && selectsCluster(module.spec.targets, view)
    },
    unit(ref, cluster) {
      const key = `${ref.namespace}/${inventoryName(ref, assemblageName({ kind: '', name: cluster }))}`
      const inventory = live?.inventories.has(key)
        ? live.inventories.get(key)
        : hub.inventories.store.get(key)
      return inventory && unitSeenOf(inventory)
    },
  }
}
