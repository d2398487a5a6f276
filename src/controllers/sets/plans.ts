/** Plans of all managed ClusterResourceSets of this process, and whether anything may be written by them now. */
import { isOurDefinition } from '../../api/crd.ts'
import type { Stored } from '../../api/kind.ts'
import {
  CAPI_PAUSED,
  type ClusterResourceSet,
  DELETE_FOR_MOVE,
  PAUSED_BY_US,
  SET,
} from '../../api/kinds/resourceset.ts'
import type { ClusterView } from '../../fleet/cluster.ts'
import type { Hub } from '../hub.ts'
import type { SetPlan } from './plan.ts'

export class SetPlans {
  private readonly hub: Hub
  private readonly plans = new Map<string, SetPlan>()
  /** Looks at clusters under way, by the set's uid. */
  private readonly working = new Map<string, number>()

  constructor(hub: Hub) {
    this.hub = hub
  }

  of({ metadata }: Stored<ClusterResourceSet>): SetPlan | undefined {
    return this.plans.get(metadata.uid)
  }

  put(plan: SetPlan): void {
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

/** The definition on the hub is ours: there is no Cluster API. */
export const isOwnDefinition = ({ sets }: Pick<Hub, 'sets'>): boolean => isOurDefinition(sets.labels)

/** It is ours to reconcile: asked for, or there is nobody else. With a value that is none it stays what it is. */
export function isManaged(hub: Pick<Hub, 'sets'>, { metadata }: Stored<ClusterResourceSet>): boolean {
  const { annotations = {} } = metadata
  const asked = annotations[SET.managed]
  if (asked === undefined) return isOwnDefinition(hub)
  if (asked === 'true' || asked === 'false') return asked === 'true'
  return annotations[CAPI_PAUSED] === PAUSED_BY_US
}
