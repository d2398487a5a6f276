/** Units that look at objects which they do not deliver: whose business a change of those is, and which watches may end. */

import type { ServedResource } from '@lockstep/kube/client'
import { apiVersionOf } from '@lockstep/kube/object'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import type { LookupQuery, LookupResult, ObjectLookup } from '../../deliver/state/index.ts'
import { type ClusterView, clusterKey } from '../../fleet/clusters/index.ts'
import { type ClusterSession, selectionId } from '../../fleet/connection/index.ts'

/** A unit: a module on a cluster. */
interface WatchingUnit {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
}

/** The hub is one cluster of every namespace. */
const placeOf = (view: ClusterView): string => (view.access.type === 'Hub' ? 'hub' : clusterKey(view))
const unitId = (ref: ModuleRef, cluster: string): string => `${moduleId(ref)}@${cluster}`

/** Where a selection is: a cluster, or (undefined) the inputs beside a module. */
export const watchKey = (view: ClusterView | undefined, id: string): string =>
  `${view ? placeOf(view) : 'inputs'} ${id}`

interface WatchRequest {
  readonly view: ClusterView | undefined
  readonly id: string
}

/** Modules whose bindings are made of objects. */
class ModuleWatches {
  /** By key, then by module. */
  private readonly askers = new Map<string, Map<string, ModuleRef>>()
  /** By module, then by key. */
  private readonly asked = new Map<string, Map<string, WatchRequest>>()

  of(view: ClusterView | undefined, id: string): readonly ModuleRef[] {
    return [...(this.askers.get(watchKey(view, id))?.values() ?? [])]
  }

  add(ref: ModuleRef, view: ClusterView | undefined, id: string): void {
    const key = watchKey(view, id)
    const there = this.askers.get(key) ?? new Map<string, ModuleRef>()
    this.askers.set(key, there.set(moduleId(ref), ref))
    const asked = this.asked.get(moduleId(ref)) ?? new Map<string, WatchRequest>()
    this.asked.set(moduleId(ref), asked.set(key, { view, id }))
  }

  /** The module asks for nothing else any more; gives what it has turned away from. */
  keep(ref: ModuleRef, keys: ReadonlySet<string>): readonly WatchRequest[] {
    const asked = this.asked.get(moduleId(ref))
    const left = [...(asked ?? [])].filter(([key]) => !keys.has(key))
    for (const [key] of left) {
      const there = this.askers.get(key)
      there?.delete(moduleId(ref))
      if (there?.size === 0) this.askers.delete(key)
      asked!.delete(key)
    }
    if (asked?.size === 0) this.asked.delete(moduleId(ref))
    return left.map(([, a]) => a)
  }
}

export class WatchIndex {
  readonly modules = new ModuleWatches()
  /** By place and selection, then by unit. */
  private readonly lookers = new Map<string, Map<string, WatchingUnit>>()
  /** By unit, then by selection: its key in the other one. */
  private readonly looks = new Map<string, Map<string, string>>()

  /** Who looks at a selection on a cluster. */
  of(view: ClusterView, id: string): readonly WatchingUnit[] {
    return [...(this.lookers.get(`${placeOf(view)} ${id}`)?.values() ?? [])]
  }

  add(unit: WatchingUnit, id: string): void {
    const key = `${placeOf(unit.cluster)} ${id}`
    const name = unitId(unit.ref, unit.cluster.name)
    const there = this.lookers.get(key) ?? new Map<string, WatchingUnit>()
    this.lookers.set(key, there.set(name, unit))
    const looks = this.looks.get(name) ?? new Map<string, string>()
    this.looks.set(name, looks.set(id, key))
  }

  /** The unit looks at nothing else any more; gives what it has turned away from. */
  keep(ref: ModuleRef, cluster: string, ids: ReadonlySet<string>): readonly string[] {
    const name = unitId(ref, cluster)
    const looks = this.looks.get(name)
    const left = [...(looks ?? [])].filter(([id]) => !ids.has(id))
    for (const [id, key] of left) {
      const there = this.lookers.get(key)
      there?.delete(name)
      if (there?.size === 0) this.lookers.delete(key)
      looks!.delete(id)
    }
    if (looks?.size === 0) this.looks.delete(name)
    return left.map(([id]) => id)
  }
}

/** The eyes of one unit during a look at it. */
export class UnitWatches {
  private readonly onlookers: WatchIndex
  private readonly unit: WatchingUnit
  private readonly session: ClusterSession
  private seen = new Set<string>()

  constructor(onlookers: WatchIndex, unit: WatchingUnit, session: ClusterSession) {
    this.onlookers = onlookers
    this.unit = unit
    this.session = session
  }

  /** A new look: what is asked for from now on counts. */
  open(): ObjectLookup {
    this.seen = new Set()
    return (s) => this.find(s)
  }

  /** A selection that is looked at in this look, by whoever. */
  note(id: string): void {
    this.seen.add(id)
    // Before the watch begins: its first event asks who looks.
    this.onlookers.add(this.unit, id)
  }

  /** What was not asked for in this look is watched for it no more. */
  close(): void {
    const { ref, cluster } = this.unit
    for (const id of this.onlookers.keep(ref, cluster.name, this.seen)) this.session.selections.release(id)
  }

  private find(s: LookupQuery): LookupResult {
    const resource =
      s.type === undefined ? this.session.served(s.group, s.kind, s.version) : this.session.named(s.type)
    if (!resource) return { type: 'NotServed' }
    const found = this.look(s, resource)
    return s.type === undefined || found.type === 'NotServed' ? found : { ...found, resource }
  }

  private look(s: LookupQuery, resource: ServedResource): LookupResult {
    if (resource.namespaced && s.namespace === undefined && s.name !== undefined) return { type: 'Misplaced' }
    const selection = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      namespace: resource.namespaced ? s.namespace : undefined,
      name: s.name,
      // Whether it is there is all that a name of people asks.
      ...(s.type === undefined ? {} : { fields: 'metadata' as const }),
    }
    const id = selectionId(selection)
    this.note(id)
    const found = this.session.selections.select(selection)
    switch (found.type) {
      case 'Read':
        return { ...found, hasStatus: resource.hasStatus }
      case 'Unread':
        return { type: found.forbidden ? 'Forbidden' : 'Unread', detail: found.detail }
      case 'NotServed':
      case 'Syncing':
        return { type: found.type }
    }
  }
}
