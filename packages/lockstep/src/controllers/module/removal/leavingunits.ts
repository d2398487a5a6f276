/** Units, from the caches, that must be removed from their clusters, and whose removal has not begun. */
import type { Stored } from '@lockstep/kube/object'
import { type Module, moduleKind } from '../../../api/kinds/index.ts'
import { moduleId, refOfId } from '../../../decisions/graph/index.ts'
import { moduleRefOf } from '../../../deliver/plan/index.ts'
import { isOrphanedUnit } from '../../../deliver/step/index.ts'
import { type FleetReader, selectsCluster } from '../../../fleet/clusters/index.ts'
import { type HubCaches, moduleIndexOf } from '../../cache/index.ts'
import { removalPolicy } from './removalpolicy.ts'
import type { Termination } from './terminations.ts'

export interface LeavingUnits {
  /** Namespaces and names of the clusters, each with one unit. */
  readonly clusters: ReadonlySet<string>
  /** Units on unknown clusters: their objects stay. */
  readonly lost: number
}

const NONE: LeavingUnits = { clusters: new Set(), lost: 0 }

interface LeavingDeps {
  readonly hub: HubCaches
  readonly fleet: FleetReader
}

/** `isWhole`: all units are removed, although the Module may not be deleted yet. */
export interface LeavingModule {
  readonly module: Stored<Module>
  readonly isWhole: boolean
}

export const isDeleted = ({ metadata }: Pick<Stored<Module>, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined

/** The objects stay on the clusters. */
export const isOrphaned = (module: Stored<Module>, isWhole = isDeleted(module)): boolean =>
  removalPolicy(module, isWhole ? 'ModuleDeleted' : 'Relabelled') === 'Orphan'

/** Units of one Module. */
export function leavingUnits({ hub, fleet }: LeavingDeps, { module, isWhole }: LeavingModule): LeavingUnits {
  if (isOrphaned(module, isWhole)) return NONE
  const ref = moduleRefOf(module)
  const { ledger = [] } = module.status?.rollout ?? {}
  const begun = new Set(ledger.flatMap((e) => (e.kind === 'Remove' ? [e.cluster] : [])))
  const clusters = new Set<string>()
  let lost = 0
  for (const inventory of hub.inventories.store.by('module', moduleId(ref))) {
    const { name } = inventory.spec.clusterRef
    const record = hub.assignment(ref, name)
    if (record?.removal || begun.has(name) || isOrphanedUnit(inventory, record)) continue
    const cluster = fleet.view(ref.namespace, name)
    if (!cluster) lost++
    else if (isWhole || !selectsCluster(module.spec.targets, cluster))
      clusters.add(`${ref.namespace}/${name}`)
  }
  return { clusters, lost }
}

/** Modules that are deleted, those that a confirmed deletion is about to delete, and those that are kept and leave clusters. */
export function leavingModules(
  hub: HubCaches,
  deselecting: Iterable<string>,
  confirmed: readonly Termination[],
): readonly LeavingModule[] {
  const found = new Map<string, LeavingModule>()
  const add = (module: Stored<Module>, isWhole: boolean): void => {
    const id = moduleId(moduleRefOf(module))
    if (!found.has(id)) found.set(id, { module, isWhole })
  }
  for (const { store } of [hub.modules, hub.bootstrapModules])
    for (const m of store.by('deleting', '')) add(m, true)
  for (const t of confirmed) for (const m of modulesOf(hub, t)) add(m, true)
  for (const id of deselecting) {
    const module = hub.module(refOfId(id))
    if (module) add(module, false)
  }
  return [...found.values()]
}

function modulesOf(hub: HubCaches, { kind, name }: Termination): Iterable<Stored<Module>> {
  if (kind === 'Namespace') return moduleIndexOf(hub, name)
  return (name.startsWith(moduleKind.plural) ? hub.modules : hub.bootstrapModules).store.all()
}
