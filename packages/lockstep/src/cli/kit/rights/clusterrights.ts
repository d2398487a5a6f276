/** Rights on a cluster that the credential in its Secret needs for the Modules that are delivered there. */
import type { ServedResource } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import type { KubeObject, Stored } from '@lockstep/kube/object'
import type { Inventory, Module } from '../../../api/kinds/index.ts'
import {
  clusterRights,
  type NeededRight,
  type ResourceRights,
  resourceRightsOf,
} from '../../../deliver/rights/index.ts'
import type { ClusterView } from '../../../fleet/clusters/index.ts'
import type { ClusterConnections, HubConnection } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import { IDENTITY_RULES } from '../registration/index.ts'
import { type FleetSnapshot, inventoryOf, isSelected } from '../snapshot/index.ts'
import { definedResources, desiredOn, finderOf, namerOf, targetObjects, unknownText } from './modulerights.ts'

export interface ClusterRights {
  /** Names of the Modules that select the cluster, or are still there. */
  readonly modules: readonly string[]
  readonly rights: readonly ResourceRights[]
  /** Gaps of the list, each with its Module. */
  readonly unknown: readonly string[]
}

interface ClusterPlace {
  readonly hub: HubConnection
  readonly snapshot: FleetSnapshot
  readonly view: ClusterView
  /** Resources of the cluster. */
  readonly served: readonly ServedResource[]
  readonly clusters: ClusterConnections
}

interface ModuleOnCluster {
  readonly module: Stored<Module>
  readonly inventory: Stored<Inventory> | undefined
  readonly objects: readonly KubeObject[]
}

/** Rights that are needed whatever is delivered. */
const identityRights = (): NeededRight[] =>
  IDENTITY_RULES.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          resourceNames.map((name) => ({
            verb,
            group,
            resource,
            namespace: undefined,
            ...(name === undefined ? {} : { name }),
            usedBy: 'identity',
          })),
        ),
      ),
    ),
  )

export async function rightsOnCluster(
  c: CommandContext,
  place: ClusterPlace,
): Promise<Result<ClusterRights, CliFailure>> {
  const { hub, snapshot, view, served, clusters } = place
  const found: ModuleOnCluster[] = []
  const unknown: string[] = []
  for (const module of snapshot.modules) {
    const inventory = inventoryOf(snapshot, module.metadata.name, view.name)
    if (!isSelected(module, view) && !inventory) continue
    const objects = await targetObjects(c, module, { hub, cluster: view.name, inventory, clusters })
    if (!objects.ok) return objects
    if (!objects.value.ok) unknown.push(`Module ${module.metadata.name}: ${unknownText(objects.value.error)}`)
    found.push({ module, inventory, objects: objects.value.ok ? objects.value.value : [] })
  }
  // One Module may bring the kinds of another.
  const known = [...served, ...definedResources(found.flatMap((f) => f.objects))]
  const rights = identityRights()
  for (const { module, inventory, objects } of found) {
    const desired = desiredOn(module, objects, known)
    if (!desired.ok) return desired
    const delivered = inventory?.spec.objects ?? []
    const input = { module, find: finderOf(known), named: namerOf(known), desired: desired.value, delivered }
    const need = clusterRights(input)
    rights.push(...need.rights.map((r) => ({ ...r, usedBy: module.metadata.name })))
    unknown.push(...need.unserved.map((kind) => `Module ${module.metadata.name}: no API serves ${kind}`))
  }
  return ok({ modules: found.map((f) => f.module.metadata.name), rights: resourceRightsOf(rights), unknown })
}
