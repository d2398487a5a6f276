/** Which units look at which selections of objects because of their bundles: changes of those carry no label of ours. */
import { type ModuleRef, moduleId, refOfId } from '../core/graph/module.ts'
import type { ClusterView } from '../fleet/cluster.ts'

const NONE: ReadonlySet<string> = new Set()

export class Watchers {
  /** Ids of selections, by cluster and module. */
  private readonly looking = new Map<string, Map<string, ReadonlySet<string>>>()

  /** What a unit looks at now. */
  set(view: ClusterView, ref: ModuleRef, ids: ReadonlySet<string>): void {
    const place = placeOf(view)
    const modules = this.looking.get(place) ?? new Map<string, ReadonlySet<string>>()
    if (ids.size > 0) modules.set(moduleId(ref), ids)
    else modules.delete(moduleId(ref))
    if (modules.size > 0) this.looking.set(place, modules)
    else this.looking.delete(place)
  }

  /** The unit is gone. */
  forget(view: ClusterView, ref: ModuleRef): void {
    this.set(view, ref, NONE)
  }

  /** Modules whose units on a cluster look at a selection. */
  of(view: ClusterView, id: string): ModuleRef[] {
    const modules = this.looking.get(placeOf(view)) ?? []
    return [...modules].flatMap(([module, ids]) => (ids.has(id) ? [refOfId(module)] : []))
  }
}

/** The hub is one cluster, whatever namespace it is seen from. */
const placeOf = (view: ClusterView): string =>
  view.access.type === 'Hub' ? 'hub' : `${view.namespace}/${view.name}`
