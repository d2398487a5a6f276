/** Units that rely on another one, found by the edges of revisions. */
import type { Stored } from '@lockstep/kube/object'
import type { Inventory } from '../../api/kinds/index.ts'
import { clusterOf, type Observation } from '../../decisions/gate/index.ts'
import {
  type ModuleEdge,
  type ModuleRef,
  moduleEdges,
  moduleId,
  waveEdges,
} from '../../decisions/graph/index.ts'
import type { HubCaches } from './hubcaches.ts'
import type { RevisionRecord } from './revisions.ts'

export interface UnitDependent {
  readonly record: RevisionRecord
  /** A required one, if there are several. */
  readonly edge: ModuleEdge
  readonly inventory: Stored<Inventory>
}

/** Units that may rely on one of `cluster`: with any revision that their module has. */
function* candidates(
  hub: HubCaches,
  ref: ModuleRef,
  cluster: string,
  seen: Pick<Observation, 'home'>,
): Iterable<UnitDependent> {
  for (const record of hub.revisions.store.by('needs', moduleId(ref))) {
    const edges = moduleEdges(record.edges).filter((e) => moduleId(e.to) === moduleId(ref))
    const places = new Set(edges.map((e) => clusterOf(e, '', seen)))
    // An edge that names no cluster means the dependant's own.
    const isBeside = places.has('') && places.size === 1
    for (const inventory of unitsOfRecord(hub, record, isBeside ? cluster : undefined)) {
      const { name } = inventory.spec.clusterRef
      const there = edges.filter((e) => clusterOf(e, name, seen) === cluster)
      const edge = there.find((e) => !e.optional) ?? there[0]
      if (edge) yield { record, edge, inventory }
    }
  }
}

/** Of its module, and of others that deliver the revision. */
function* unitsOfRecord(
  hub: HubCaches,
  { module, revision }: RevisionRecord,
  cluster: string | undefined,
): Iterable<Stored<Inventory>> {
  const { namespace } = module
  for (const i of hub.inventories.store.by('foreign', `${namespace} ${revision}`))
    if (cluster === undefined || i.spec.clusterRef.name === cluster) yield i
  if (cluster === undefined) return yield* hub.inventories.store.by('module', moduleId(module))
  const found = hub.unit(module, cluster)
  if (found) yield found
}

/** Units that are admitted with an edge to this one. */
export const dependentsAt = (
  hub: HubCaches,
  ref: ModuleRef,
  cluster: string,
  seen: Pick<Observation, 'home'>,
): UnitDependent[] =>
  [...candidates(hub, ref, cluster, seen)].filter(
    ({ record, inventory }) => inventory.spec.admitted?.revision === record.revision,
  )

/** Inventories of units that are removed before this one. An optional edge never holds a removal. */
export const requiredDependents = (...unit: Parameters<typeof dependentsAt>): Stored<Inventory>[] =>
  dependentsAt(...unit).flatMap(({ edge, inventory }) => (edge.optional ? [] : [inventory]))

/** Waves of a module's bundle that others ask for, with any revision that they have. */
export function requestedWaves(hub: HubCaches, ref: ModuleRef): ReadonlySet<number> {
  const id = moduleId(ref)
  const found = new Set<number>()
  for (const { edges } of hub.revisions.store.by('waves', id))
    for (const { to, beforeWave } of waveEdges(edges)) if (moduleId(to) === id) found.add(beforeWave)
  return found
}

/** Inventories of units that rely on this one, or may be about to. */
export function possibleDependents(
  hub: HubCaches,
  ref: ModuleRef,
  cluster: string,
  seen: Pick<Observation, 'home'>,
): Stored<Inventory>[] {
  const found = new Map<string, Stored<Inventory>>()
  for (const { inventory } of candidates(hub, ref, cluster, seen))
    found.set(inventory.metadata.uid, inventory)
  return [...found.values()]
}
