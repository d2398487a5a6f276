/** Dependents and dependencies of units, by the spec and by published revisions: an edit may be refused. */
import type { Stored } from '@lockstep/kube/object'
import type { Module } from '../../../api/kinds/index.ts'
import { clusterOf } from '../../../decisions/gate/index.ts'
import {
  type ModuleEdge,
  type ModuleRef,
  moduleEdges,
  moduleId,
  refOfId,
  waveEdges,
} from '../../../decisions/graph/index.ts'
import { inventoryName, moduleRefOf } from '../../../deliver/plan/index.ts'
import { type ClusterView, type FleetReader, HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import { edgesOf, type HubInformers, moduleIndexOf } from '../../cache/index.ts'
import { type RevisionRecord, type UnitKey, unitKey } from '../../runtime/index.ts'

/** Caches that routes read, without a connection to a cluster. */
export interface RouteDeps {
  readonly hub: HubInformers
  readonly fleet: Pick<FleetReader, 'view' | 'of'>
}

const isOfHub = (hub: HubInformers, ref: ModuleRef): boolean => hub.module(ref)?.spec.targets?.hub === true

/** Units that need one of this module: on its cluster, or wherever an edge names that cluster. */
export function* dependentUnits(
  hub: HubInformers,
  ref: ModuleRef,
  cluster: string | undefined,
  isDeep = false,
): Iterable<UnitKey> {
  const isAnywhere = cluster === undefined || isOfHub(hub, ref)
  for (const [id, isFar] of dependentIds(hub, ref, isDeep))
    for (const { spec } of hub.inventories.store.by('module', id)) {
      const { name } = spec.clusterRef
      if (isAnywhere || isFar || name === cluster) yield unitKey.of(refOfId(id), name)
    }
}

/** The cluster on which external units may wait for one of this module; undefined: any. */
export const waitersView = (
  { hub, fleet }: RouteDeps,
  ref: ModuleRef,
  cluster: string,
): ClusterView | undefined => (isOfHub(hub, ref) ? undefined : fleet.view(ref.namespace, cluster))

/** Modules that need this one; `isDeep`: over any number of edges. */
export const dependentModules = (hub: HubInformers, ref: ModuleRef, isDeep = false): ModuleRef[] =>
  [...dependentIds(hub, ref, isDeep).keys()].map(refOfId)

/**
 * Modules that need this one, by id, and whether one of the edges names a cluster. `isDeep`: over any number of edges, of which
 * one may.
 */
function dependentIds(hub: HubInformers, ref: ModuleRef, isDeep: boolean): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  const visit = (of: ModuleRef, isBehindFar: boolean): void => {
    for (const [id, isFar] of directDependents(hub, of)) {
      const known = found.get(id)
      const now = isFar || isBehindFar
      if (known === true || known === now) continue
      found.set(id, now)
      if (isDeep) visit(refOfId(id), now)
    }
  }
  visit(ref, false)
  return found
}

/** Edges by module: each change of an Inventory reads those of all modules of its namespace. */
const edges = new WeakMap<Stored<Module>, readonly ModuleEdge[]>()

function edgesOfModule(module: Stored<Module>): readonly ModuleEdge[] {
  const known = edges.get(module)
  if (known) return known
  const made = moduleEdges(edgesOf(module.spec.dependsOn, module.metadata.namespace ?? ''))
  edges.set(module, made)
  return made
}

function* directDependents(
  hub: HubInformers,
  ref: ModuleRef,
): Iterable<readonly [id: string, isFar: boolean]> {
  for (const module of moduleIndexOf(hub, ref.namespace)) {
    for (const e of edgesOfModule(module))
      if (moduleId(e.to) === moduleId(ref)) yield [moduleId(moduleRefOf(module)), e.cluster !== undefined]
  }
  for (const record of hub.revisions.store.by('needs', moduleId(ref)))
    for (const e of moduleEdges(record.edges))
      if (moduleId(e.to) === moduleId(ref)) yield [moduleId(record.module), e.cluster !== undefined]
}

/** Clusters with an Inventory of the module, or, before there is one, with its record. */
const clustersOf = (hub: HubInformers, ref: ModuleRef): ReadonlySet<string> =>
  new Set(
    [
      ...hub.inventories.store.by('module', moduleId(ref)),
      // A Hold may be older than the first Inventory.
      ...hub.assemblages.store.by('module', moduleId(ref)),
    ].map((o) => o.spec.clusterRef.name),
  )

export const unitsOfModule = (hub: HubInformers, ref: ModuleRef): UnitKey[] =>
  [...clustersOf(hub, ref)].map((cluster) => unitKey.of(ref, cluster))

/** Modules that a revision needs at a wave: their units report waves only while a revision asks for one. */
export const wavesAskedBy = ({ edges }: RevisionRecord): ModuleRef[] => waveEdges(edges).map((e) => e.to)

interface Needed {
  readonly to: ModuleRef
  readonly cluster: string
  /** Its removal or rollback waits for dependents. */
  readonly isHeld: boolean
}

/** Units that one of `cluster` needs, or needed with a revision that its module still has. */
export function dependenciesOf(hub: HubInformers, ref: ModuleRef, cluster: string): Needed[] {
  const home = (to: ModuleRef): string | undefined => (isOfHub(hub, to) ? HUB_CLUSTER : undefined)
  const isHeld = (to: ModuleRef, place: string): boolean => {
    const { namespace } = to
    const inventory = hub.inventories.store.get({ namespace, name: inventoryName(to, place) })
    return inventory?.status?.blockers?.some((b) => b.reason === 'DependentAhead') === true
  }
  const found = new Map<string, Needed>()
  for (const record of hub.revisions.store.by('module', moduleId(ref))) {
    for (const e of moduleEdges(record.edges)) {
      const place = clusterOf(e, cluster, { home })
      found.set(`${moduleId(e.to)}@${place}`, { to: e.to, cluster: place, isHeld: isHeld(e.to, place) })
    }
  }
  return [...found.values()]
}
