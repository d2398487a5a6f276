/** Plans of all managed ClusterResourceSets of this process, and whether anything may be written by them now. */

import { matchesSelector, type Stored } from '@lockstep/kube/object'
import { isOurDefinition } from '../../api/crd/index.ts'
import {
  CAPI_PAUSED,
  type ClusterResourceSet,
  DELETE_FOR_MOVE,
  PAUSED_BY_US,
  SET,
} from '../../api/kinds/index.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { companionName, selectsNothing, setOf } from '../../decisions/resourceset/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import type { HubInformers } from './hubcaches.ts'
import { type ManagedSetPlan, setInventoryOn } from './setplan.ts'

export class SetPlans {
  private readonly hub: HubInformers
  private readonly plans = new Map<string, ManagedSetPlan>()
  /** Looks at clusters under way, by the set's uid. */
  private readonly working = new Map<string, number>()

  constructor(hub: HubInformers) {
    this.hub = hub
  }

  of({ metadata }: Stored<ClusterResourceSet>): ManagedSetPlan | undefined {
    return this.plans.get(metadata.uid)
  }

  put(plan: ManagedSetPlan): void {
    this.plans.set(plan.uid, plan)
  }

  /** What is written meanwhile has to be written down before anybody lets go of the set. */
  async during<T>(uid: string, work: () => Promise<T>): Promise<T> {
    this.working.set(uid, (this.working.get(uid) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = this.working.get(uid)! - 1
      if (left > 0) this.working.set(uid, left)
      else this.working.delete(uid)
    }
  }

  /**
   * Whether the Module of a set may write to a cluster now: as for the set itself, and once it is written down what Cluster
   * API has applied there. True of every other Module.
   */
  mayDeliver(ref: ModuleRef, cluster: ClusterView): boolean {
    if (ref.kind !== 'Module') return true
    const module = this.hub.modules.store.get(ref)
    // One of a set that is gone before the set: what is left of it writes nothing.
    if (!module) return ![...this.hub.sets.all()].some((s) => isCompanion(ref, s.metadata))
    const owner = setOf(module.metadata)
    if (!owner) return true
    const set = this.hub.sets.get({ namespace: ref.namespace, name: owner.name })
    if (set?.metadata.uid !== owner.uid || this.isWorking(owner.uid)) return false
    if (!this.of(set)?.isContinuous || !this.mayWrite(set, cluster)) return false
    return setInventoryOn(this.hub, set, cluster.name)?.spec.set?.takenOver !== undefined
  }

  /** By what is written down of the set of a Module, from its binding or since, all of its sources are applied there. */
  saysApplied(ref: ModuleRef, cluster: string): boolean {
    const owner = setOf(this.hub.module(ref)?.metadata ?? {})
    const set = owner && this.hub.sets.get({ namespace: ref.namespace, name: owner.name })
    const sources = (set && setInventoryOn(this.hub, set, cluster)?.spec.set?.sources) ?? []
    return sources.length > 0 && sources.every((s) => s.applied)
  }

  isWorking(uid: string): boolean {
    return this.working.has(uid)
  }

  forget(uid: string): void {
    this.plans.delete(uid)
  }

  /**
   * Asked before each request: whoever takes the pause away lets Cluster API's controller begin, and whoever pauses us is
   * obeyed at once. On a hub with our own definition there is nobody else.
   */
  mayWrite(
    { metadata: { namespace = '', name, uid } }: Stored<ClusterResourceSet>,
    cluster: ClusterView,
  ): boolean {
    const now = this.hub.sets.get({ namespace, name })
    if (!now || now.metadata.uid !== uid || now.metadata.deletionTimestamp !== undefined) return false
    const annotations = now.metadata.annotations ?? {}
    // Whatever else it says: who writes it does not want anything to happen.
    if ((annotations[SET.paused] ?? 'false') !== 'false') return false
    if (Object.hasOwn(annotations, DELETE_FOR_MOVE)) return false
    if (!isOwnDefinition(this.hub) && !Object.hasOwn(annotations, CAPI_PAUSED)) return false
    return this.plans.has(uid) && cluster.paused === undefined && !cluster.deleting
  }
}

/** By its name, where there is no Module any more to ask. */
export const isCompanion = ({ namespace, name }: ModuleRef, of: Stored['metadata']): boolean =>
  namespace === of.namespace && name === companionName(of.name)

type SetDefinition = { readonly sets: Pick<HubInformers['sets'], 'labels'> }

/** The definition on the hub is ours: there is no Cluster API. */
export const isOwnDefinition = ({ sets }: SetDefinition): boolean => isOurDefinition(sets.labels)

/** It is ours to reconcile: asked for, or there is nobody else. With a value that is none it stays what it is. */
export function isManagedSet(hub: SetDefinition, { metadata, spec }: Stored<ClusterResourceSet>): boolean {
  const { annotations = {} } = metadata
  const asked = annotations[SET.managed]
  // What Cluster API does not know, it will not reconcile.
  if (asked === undefined) return isOwnDefinition(hub) || spec.strategy === 'Continuous'
  if (asked === 'true' || asked === 'false') return asked === 'true'
  return annotations[CAPI_PAUSED] === PAUSED_BY_US
}

/** A cluster of Cluster API that a set selects; one that is deleted gets nothing any more. */
export const selectsBySet = ({ spec }: Stored<ClusterResourceSet>, view: ClusterView): boolean =>
  view.kind === 'ClusterAPI' &&
  !view.deleting &&
  !selectsNothing(spec.clusterSelector) &&
  matchesSelector(spec.clusterSelector, view.labels)
