/** Everything on the hub that a view of the fleet is made of. */

import type { Result } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { NewBlocker } from '../../../api/blocker.ts'
import {
  bootstrapModuleKind,
  type Hold,
  holdKind,
  type Inventory,
  inventoryKind,
  type Module,
  moduleKind,
  type RemoteAssemblage,
  remoteAssemblageKind,
} from '../../../api/kinds/index.ts'
import { MANAGED_BY_LABEL } from '../../../api/labels.ts'
import { assignmentOf } from '../../../controllers/cache/index.ts'
import { isPredecessors } from '../../../controllers/module/index.ts'
import {
  type ClusterView,
  goneCondition,
  HUB_CLUSTER,
  selectsCluster,
} from '../../../fleet/clusters/index.ts'
import { type HubConnection, listAll, listClusters, withUniqueNames } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'

export interface FleetSnapshot {
  readonly modules: readonly Stored<Module>[]
  readonly inventories: readonly Stored<Inventory>[]
  /** Of modules: one for each cluster. */
  readonly assemblages: readonly Stored<RemoteAssemblage>[]
  /** Kept by others. */
  readonly foreign: readonly Stored<RemoteAssemblage>[]
  readonly clusters: readonly ClusterView[]
  readonly holds: readonly Stored<Hold>[]
  readonly nowMs: number
}

/** Which namespaces are listed; without one, all. */
export interface ListScope {
  readonly namespace?: string
}

/** Lists of one namespace, by default the one of the command. */
export async function readSnapshot(
  c: CommandContext,
  hub: HubConnection,
  scope: ListScope = { namespace: hub.namespace },
): Promise<Result<FleetSnapshot, CliFailure>> {
  const modules = await listAll<Module>(c, hub, moduleKind, scope)
  if (!modules.ok) return modules
  const bootstrap = await listAll<Module>(c, hub, bootstrapModuleKind, scope)
  if (!bootstrap.ok) return bootstrap
  const inventories = await listAll<Inventory>(c, hub, inventoryKind, scope)
  if (!inventories.ok) return inventories
  const assemblages = await listAll<RemoteAssemblage>(c, hub, remoteAssemblageKind, scope)
  if (!assemblages.ok) return assemblages
  const clusters = await listClusters(c, hub, scope)
  if (!clusters.ok) return clusters
  const holds = await listAll(c, hub, holdKind, scope)
  if (!holds.ok) return holds
  return {
    ok: true,
    value: {
      modules: [...modules.value, ...bootstrap.value],
      inventories: inventories.value,
      ...byKeeper(assemblages.value),
      clusters: withUniqueNames(
        clusters.value.map((x) => x.view),
        byKeeper(assemblages.value).assemblages,
      ),
      holds: holds.value,
      nowMs: c.env.clock.now(),
    },
  }
}

/** What modules write, and what somebody else does. */
export const byKeeper = <A extends Pick<RemoteAssemblage, 'metadata'>>(
  all: readonly A[],
): { readonly assemblages: A[]; readonly foreign: A[] } => {
  const isForeign = (a: A): boolean => a.metadata.labels?.[MANAGED_BY_LABEL] !== undefined
  return { assemblages: all.filter((a) => !isForeign(a)), foreign: all.filter(isForeign) }
}

/** The modules in the order of their needs: what others depend on first, then by name. */
export function inOrder(modules: readonly Stored<Module>[]): Stored<Module>[] {
  const left = [...modules].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  const out: Stored<Module>[] = []
  const isPlaced = (name: string): boolean => !left.some((m) => m.metadata.name === name)
  while (left.length > 0) {
    const free = left.filter((m) =>
      (m.spec.dependsOn ?? []).every((e) => !e.module || isPlaced(e.module.name)),
    )
    // A cycle has no order: then by name.
    for (const m of free.length > 0 ? free : [left[0]!]) {
      out.push(m)
      left.splice(left.indexOf(m), 1)
    }
  }
  return out
}

export const inventoryOf = (
  s: FleetSnapshot,
  module: string,
  cluster: string,
): Stored<Inventory> | undefined =>
  s.inventories.find(
    ({ spec }) =>
      spec.moduleRef.name === module &&
      spec.moduleRef.owner === undefined &&
      spec.clusterRef.name === cluster &&
      spec.released === undefined,
  )

/** What a deleted module of the same name still has on a cluster: this one waits for it to go. */
export function predecessorOf(
  s: FleetSnapshot,
  module: Stored<Module>,
  cluster: string,
): Stored<Inventory> | undefined {
  const inventory = inventoryOf(s, module.metadata.name, cluster)
  return isPredecessors(module, assignmentOf(inventory)) ? inventory : undefined
}

/** Whether an assemblage of somebody else is about a cluster. */
export function isOnCluster(
  s: FleetSnapshot,
  { spec }: Pick<RemoteAssemblage, 'spec'>,
  cluster: string,
): boolean {
  const view = s.clusters.find((c) => c.name === cluster)
  const { kind, name } = spec.clusterRef
  return view !== undefined && view.kind === kind && (view.name === name || view.objectName === name)
}

export const isSelected = (module: Stored<Module>, cluster: ClusterView): boolean =>
  selectsCluster(module.spec.targets, cluster)

/** The state that the assemblage of a cluster reports. */
export function clusterState(
  s: FleetSnapshot,
  name: string,
): { readonly state: string; readonly message: string } {
  const view = s.clusters.find((c) => c.name === name)
  if (view?.paused !== undefined) return { state: 'Paused', message: view.paused }
  if (view && (view.access.type === 'Missing' || view.access.type === 'Refused'))
    return { state: view.access.type, message: view.access.message }
  const gone = goneClusterOf(s, name)
  if (gone) return { state: 'Absent', message: gone.message }
  const status = s.assemblages.find((a) => a.spec.clusterRef.name === name)?.status
  const ready = status?.conditions?.find((x) => x.type === 'Ready')
  const state = status?.cluster ?? 'Unknown'
  return { state, message: state === 'Connected' ? '' : (ready?.message ?? '') }
}

/** A deleted cluster on which objects of Modules remain. */
export function goneClusterOf(s: FleetSnapshot, name: string): NewBlocker | undefined {
  if (name === HUB_CLUSTER || s.clusters.some((c) => c.name === name)) return undefined
  const there = s.inventories.filter(({ spec }) => spec.clusterRef.name === name)
  const [first] = there
  return first && goneCondition(first.metadata.namespace ?? '', first.spec.clusterRef, there).blocker
}

/** The name of a cluster as a column has it. */
export const columnOf = (s: FleetSnapshot, name: string): string =>
  goneClusterOf(s, name) ? `${name} (gone)` : name

/** Columns of a matrix: the clusters that something selects or is on, and the hub where something is on it. */
export function clusterNames(s: FleetSnapshot): string[] {
  const names = new Set(s.clusters.map((c) => c.name))
  for (const i of s.inventories) names.add(i.spec.clusterRef.name)
  const isOnHub = s.modules.some((m) => m.spec.targets?.hub === true)
  if (isOnHub) names.add(HUB_CLUSTER)
  return [...names].sort()
}

/** Modules that depend on one, directly or through others. */
export function dependentsOf(s: FleetSnapshot, name: string): string[] {
  const found = new Set<string>()
  const queue = [name]
  const dependsOn = ({ spec }: { readonly spec: Pick<Module['spec'], 'dependsOn'> }, on: string): boolean =>
    spec.dependsOn?.some((e) => e.module?.name === on) === true
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const m of s.modules) {
      const { name: other } = m.metadata
      if (other === name || found.has(other) || !dependsOn(m, next)) continue
      found.add(other)
      queue.push(other)
    }
  }
  return [...found].sort()
}
