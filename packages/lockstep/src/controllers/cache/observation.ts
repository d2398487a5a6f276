/** The gate's view of the world, out of the caches. */

import type { Env } from '@lockstep/kube/env'
import { keyOf, keyText, type Stored } from '@lockstep/kube/object'
import type { Inventory, Module } from '../../api/kinds/index.ts'
import type {
  DependentObservation,
  Exemption,
  ObjectObservation,
  Observation,
  ObservedModule,
  PublishedRevision,
  UnitObservation,
} from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleId, objectId } from '../../decisions/graph/index.ts'
import { modeOf } from '../../decisions/resourceset/index.ts'
import { fleetRevision, isHeldBack, resolveUnitHolds } from '../../decisions/rollout/index.ts'
import { inventoryName, unitName } from '../../deliver/plan/index.ts'
import { type FleetReader, HUB_CLUSTER, selectsCluster } from '../../fleet/clusters/index.ts'
import { hubTime } from '../runtime/index.ts'
import { dependentsAt, type UnitDependent } from './dependents.ts'
import { holdsOn } from './holds.ts'
import type { HubCaches, PublishedModule } from './hubcaches.ts'
import { edgesOf, type RevisionRecord } from './revisions.ts'
import { isManagedSet } from './setplans.ts'
import { findRevisionRecord } from './targetrevision.ts'

/** What a module wants of its units; undefined: nothing is published, or its ControllerRevision has not been seen yet. */
export function publishedOf(
  hub: HubCaches,
  ref: ModuleRef,
  module: PublishedModule,
): PublishedRevision | undefined {
  const record = findRevisionRecord(hub, ref, fleetRevision(module.status))
  return record && publishedFrom(record, module)
}

export const publishedFrom = (
  { revision, release, edges }: RevisionRecord,
  { spec }: Pick<PublishedModule, 'spec'>,
): PublishedRevision => ({ revision, release, attempt: spec.attempt, edges })

/** `current`: its health was read since the last reconnection to its cluster. */
export function observedUnit(inventory: Stored<Inventory>, current = true): UnitObservation {
  const { admitted } = inventory.spec
  const { status } = inventory
  const isCurrent = admitted !== undefined && status?.admittedSerial === admitted.serial
  // Its health was said before it was told to leave, and nobody may build on it any more.
  const isLeaving = (inventory.spec.causes ?? []).some((c) => c.cause !== 'RemovedFromBundle')
  const said = isCurrent ? status.blockers?.[0]?.message : undefined
  const isStaying = isCurrent && !isLeaving && inventory.metadata.deletionTimestamp === undefined
  return {
    uid: inventory.metadata.uid,
    resourceVersion: inventory.metadata.resourceVersion,
    admittedRevision: admitted?.revision,
    admittedGateDigest: admitted?.gateDigest,
    admittedRelease: admitted?.release,
    releases: admitted?.releases ?? [],
    verifiedGateDigest: isCurrent ? status.verifiedGateDigest : undefined,
    healthy: isStaying && status.health === 'Healthy',
    doneBeforeWave: isStaying ? status.doneBeforeWave : undefined,
    current,
    detail: isLeaving ? 'removing from the cluster' : (said ?? 'it is being delivered'),
  }
}

/** Behind the name is another cluster than at first contact. */
export const isOtherCluster = (inventory: Stored<Inventory>, uid: string | undefined): boolean =>
  uid !== undefined && inventory.spec.clusterUid !== '' && inventory.spec.clusterUid !== uid

const NOT_KNOWN = { healthy: false, doneBeforeWave: undefined }

/** `live` holds what was read just now; everything else comes from the caches. */
export interface LiveReads {
  readonly modules: ReadonlyMap<string, Stored<Module> | undefined>
  readonly inventories: ReadonlyMap<string, Stored<Inventory> | undefined>
  /** By `objectId`, on the unit's own cluster. */
  readonly objects: ReadonlyMap<string, ObjectObservation>
}

/** All that the world is seen through. */
export interface ObservationDeps {
  readonly hub: HubCaches
  readonly fleet: FleetReader
  readonly env: { readonly clock: Pick<Env['clock'], 'now' | 'steady'> }
}

/** What units of a namespace can see: out of the caches, and of what was read live. */
export function observationOf(
  { hub, env, ...c }: ObservationDeps,
  namespace: string,
  live?: LiveReads,
): Observation {
  const fleet = hub.recorded?.(c.fleet) ?? c.fleet
  const moduleAt = (ref: ModuleRef): PublishedModule | undefined => {
    const id = moduleId(ref)
    return live?.modules.has(id) ? live.modules.get(id) : hub.published(ref)
  }
  const connectionOf = (cluster: string) => {
    const view = fleet.view(namespace, cluster)
    return view && fleet.connection(view)
  }
  const sessionOf = (cluster: string, by: ModuleRef) => {
    const view = fleet.view(namespace, cluster)
    const account = { namespace: by.namespace, name: moduleAt(by)?.spec.serviceAccountName }
    return view && fleet.session(view, account)
  }
  const home = (ref: ModuleRef): string | undefined =>
    moduleAt(ref)?.spec.targets?.hub === true ? HUB_CLUSTER : undefined
  const observedModule = (ref: ModuleRef, module: PublishedModule): ObservedModule => {
    const published = publishedOf(hub, ref, module)
    return {
      published,
      isDeleting: module.metadata.deletionTimestamp !== undefined,
      edges: published?.edges ?? edgesOf(module.spec.dependsOn, ref.namespace),
    }
  }
  const firstOf = firstPublished(hub, namespace)
  const modules = new Map<string, ObservedModule | undefined>()
  return {
    nowMs: hubTime({ hub, env }).nowMs,
    gateDigests: new Map(),
    module(ref) {
      // Asked for on every cluster.
      const id = moduleId(ref)
      if (modules.has(id)) return modules.get(id)
      const module = moduleAt(ref)
      const found = module && observedModule(ref, module)
      modules.set(id, found)
      return found
    },
    set(namespace, name) {
      const { sets } = hub
      const found = sets?.get({ namespace, name })
      return sets && found && { mode: modeOf(found), isManaged: isManagedSet({ sets }, found) }
    },
    selects(ref, cluster) {
      const module = moduleAt(ref)
      const view = fleet.view(ref.namespace, cluster)
      return module !== undefined && view !== undefined && selectsCluster(module.spec.targets, view)
    },
    home,
    unit(ref: ModuleRef, cluster: string, of?: 'Admission') {
      const key = `${ref.namespace}/${inventoryName(ref, cluster)}`
      const known = (): Stored<Inventory> | undefined =>
        of === 'Admission' ? hub.admission(ref, cluster) : hub.unit(ref, cluster)
      const inventory = live?.inventories.has(key) ? live.inventories.get(key) : known()
      if (!inventory) return undefined
      const session = connectionOf(cluster)
      const unit = observedUnit(inventory, session?.wasJudged(unitName(ref)) === true)
      // What was said of another cluster says nothing of this one.
      return isOtherCluster(inventory, session?.uid)
        ? { ...unit, ...NOT_KNOWN, detail: 'it was delivered to another cluster of that name' }
        : unit
    },
    apart: (ref, cluster) => apartOf(hub, ref, cluster, hubTime({ hub, env }).nowMs),
    silence: (cluster) => connectionOf(cluster)?.hearing.silence,
    object(ref, cluster, by) {
      const found = live?.objects.get(objectId(ref))
      if (found) return found
      const session = sessionOf(cluster, by)
      if (session?.state !== 'Connected') return { type: 'Unread', detail: 'the cluster is not connected' }
      return session.selections.get(ref)
    },
    dependants: (ref, cluster) =>
      dependentsAt(hub, ref, cluster, { home }).map((d) => dependantSeen(d, live)),
    publishedBefore: (release, than) => {
      const [one, other] = [firstOf(release), firstOf(than)]
      return one !== undefined && other !== undefined && one < other
    },
  }
}

/** As the record says; or a Hold that pins it where it is. */
function apartOf(hub: HubCaches, ref: ModuleRef, cluster: string, nowMs: number): Exemption | undefined {
  const apart = hub.assignment(ref, cluster)?.apart
  if (apart) return apart
  const hold = resolveUnitHolds(holdsOn(hub, ref, nowMs), cluster)
  if (hold && !isHeldBack(hold)) return 'Pinned'
  return hub.published(ref)?.spec.rollout.updates === 'Once' ? 'Kept' : undefined
}

/** When a release was published for the first time by a module of the namespace, as far as its history goes back. */
function firstPublished(hub: HubCaches, namespace: string): (release: string) => number | undefined {
  const known = new Map<string, number | undefined>()
  return (release) => {
    if (known.has(release)) return known.get(release)
    let first: number | undefined
    for (const { publishedAt } of hub.revisions.store.by('release', `${namespace}/${release}`))
      if (first === undefined || publishedAt < first) first = publishedAt
    known.set(release, first)
    return first
  }
}

function dependantSeen(
  { record, edge, inventory }: UnitDependent,
  live: LiveReads | undefined,
): DependentObservation {
  const { spec, status } = live?.inventories.get(keyText(keyOf(inventory))) ?? inventory
  const { admitted } = spec
  const { objects } = status ?? {}
  return {
    module: record.module,
    cluster: inventory.spec.clusterRef.name,
    release: admitted?.release,
    edge,
    reliesOn: admitted?.evidence?.find((e) => e.edge === edge.id)?.release,
    isApplied:
      status?.admittedSerial === admitted?.serial &&
      objects !== undefined &&
      objects.applied === objects.total,
  }
}
