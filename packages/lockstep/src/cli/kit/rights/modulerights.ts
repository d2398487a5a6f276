/** Rights that a Module needs on the hub, of files or as it is published. */

import type { ServedResource } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { at, isObject, type KubeObject, type Stored } from '@lockstep/kube/object'
import { type Account, accountOf } from '../../../api/account.ts'
import type { Inventory, Module } from '../../../api/kinds/index.ts'
import type { RevisionRecord } from '../../../controllers/cache/index.ts'
import { desiredStateOf, moduleRefOf, type UnitDesiredState } from '../../../deliver/plan/index.ts'
import { neededRights, type ResourceRights, resourceRightsOf } from '../../../deliver/rights/index.ts'
import { HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import { faultLines, type SourceFailure } from '../../../sources/intake/index.ts'
import { ClusterConnections, type HubConnection } from '../hub/index.ts'
import { type CliFailure, type CommandContext, requestFailure } from '../index.ts'
import { moduleRefusal, printWarnings, renderFileModule } from '../render/index.ts'
import { boundNow, bundlesOf, revisionFor, revisionsOf, type SelectedUnit } from '../units/index.ts'

export interface ModuleRights {
  readonly module: Module
  readonly account: Account
  readonly rights: readonly ResourceRights[]
  /** Gaps of the list: kinds that the hub does not serve, sources that cannot be read. */
  readonly unknown: readonly string[]
}

/** Resources of the hub; without a hub those of Kubernetes and Lockstep. */
export async function servedBy(
  c: CommandContext,
  hub: HubConnection | undefined,
): Promise<Result<readonly ServedResource[], CliFailure>> {
  // The embedded API is large: with a hub it is not needed.
  const from = hub ?? (await (await import('../localfleet/index.ts')).rehearsalHub(c, '', []))
  const served = await from.client.discover({ purpose: 'user', signal: c.signal })
  return served.ok ? served : requestFailure(served.error, from.server)
}

/** Rights of Modules in files. One may bring the kinds of another. */
export async function fileModuleRights(
  c: CommandContext,
  modules: readonly Module[],
  beside: readonly KubeObject[],
  { hub, served }: { readonly hub: HubConnection | undefined; readonly served: readonly ServedResource[] },
): Promise<Result<ModuleRights[], CliFailure>> {
  const bundles = new Map<Module, readonly KubeObject[]>()
  for (const module of modules.filter(isOnHub)) {
    const made = await renderFileModule(c, module, beside, hub)
    if (!made.ok) return moduleRefusal(module, made.error)
    printWarnings(c, made.value.warnings)
    bundles.set(module, made.value.objects)
  }
  const known = [...served, ...definedResources([...bundles.values()].flat())]
  const all: ModuleRights[] = []
  for (const module of modules) {
    const objects = bundles.get(module)
    const desired = objects ? desiredOn(module, objects, known) : ok(undefined)
    if (!desired.ok) return desired
    all.push(rightsFrom(module, known, [], desired.value))
  }
  return ok(all)
}

/** Rights of a Module of the hub: for its published revision, and objects of earlier ones. */
export async function hubModuleRights(
  c: CommandContext,
  module: Module,
  on: {
    readonly hub: HubConnection
    /** State of the unit on the hub. */
    readonly inventory: Stored<Inventory> | undefined
    readonly served: readonly ServedResource[]
  },
): Promise<Result<ModuleRights, CliFailure>> {
  const { hub, inventory, served } = on
  if (!isOnHub(module)) return ok(rightsFrom(module, served, [], undefined))
  const delivered = inventory?.spec.objects ?? []
  const place = { hub, cluster: HUB_CLUSTER, inventory, clusters: new ClusterConnections(c, hub, []) }
  const found = await targetObjects(c, module, place)
  await place.clusters.close()
  if (!found.ok) return found
  const objects = found.value
  if (!objects.ok) {
    const unknown = [unknownText(objects.error)]
    const desired = desiredOn(module, [], served)
    return desired.ok ? ok(rightsFrom(module, served, delivered, desired.value, unknown)) : desired
  }
  const known = [...served, ...definedResources(objects.value)]
  const desired = desiredOn(module, objects.value, known)
  return desired.ok ? ok(rightsFrom(module, known, delivered, desired.value)) : desired
}

type Objects = Result<readonly KubeObject[], SourceFailure>

/** Where a Module is delivered. */
interface DeliveryPlace {
  readonly hub: HubConnection
  readonly cluster: string
  /** State of the unit there. */
  readonly inventory: Stored<Inventory> | undefined
  readonly clusters: ClusterConnections
}

/** `ReadFailed: …`: why the objects of a Module are not known. */
export const unknownText = (failure: SourceFailure): string => `${failure.reason}: ${faultLines(failure)}`

/** The objects of a Module in a place: of its published revision, or as it would be published. */
export async function targetObjects(
  c: CommandContext,
  module: Module,
  place: DeliveryPlace,
): Promise<Result<Objects, CliFailure>> {
  const ref = moduleRefOf(module)
  const history = await revisionsOf(c, place.hub, ref)
  if (!history.ok) return history
  const unit = {
    module: module as Stored<Module>,
    ref,
    cluster: place.cluster,
    inventory: place.inventory,
  }
  const revision = revisionFor(unit, { type: 'published' }, history.value)
  const published = revision.ok ? revision.value : undefined
  return ok(
    await (published ? objectsOf(c, unit, published, place) : unpublishedObjects(c, module, place.hub)),
  )
}

/** Bound as far as the bindings have values. */
async function objectsOf(
  c: CommandContext,
  unit: SelectedUnit,
  revision: RevisionRecord,
  { hub, clusters }: DeliveryPlace,
): Promise<Objects> {
  const bundles = bundlesOf(hub)
  const bound = await boundNow(c, unit, revision, { hub, clusters, bundles })
  const bundle = bound.ok ? bound : await bundles.get(unit.ref.namespace, revision.bundle)
  return bundle.ok ? ok(bundle.value.objects) : bundle
}

/** A Module whose account may not read its source has no revision. The user may read it. */
async function unpublishedObjects(c: CommandContext, module: Module, hub: HubConnection): Promise<Objects> {
  const made = await renderFileModule(c, module, [], hub)
  return made.ok ? ok(made.value.objects) : made
}

const isOnHub = ({ spec }: Module): boolean => spec.targets?.hub === true

/** The objects as they are delivered where these resources are served. */
export function desiredOn(
  module: Module,
  objects: readonly KubeObject[],
  served: readonly ServedResource[],
): Result<UnitDesiredState, CliFailure> {
  const { apply, render } = module.spec
  const binding = { namespace: render?.namespace, ignore: apply.ignore, dialects: apply.dialects }
  // Digests are not compared here.
  const desired = desiredStateOf(objects, binding, finderOf(served), () => '')
  return desired.ok ? desired : moduleRefusal(module, desired.error)
}

function rightsFrom(
  module: Module,
  served: readonly ServedResource[],
  delivered: NonNullable<Parameters<typeof neededRights>[0]['delivered']>,
  desired: UnitDesiredState | undefined,
  unknown: readonly string[] = [],
): ModuleRights {
  const need = neededRights({ module, find: finderOf(served), named: namerOf(served), desired, delivered })
  return {
    module,
    account: accountOf(module),
    rights: resourceRightsOf(need.rights),
    unknown: [...unknown, ...need.unserved.map((kind) => `no API serves ${kind}`)],
  }
}

/** Finds a resource by the name that people use. */
export const namerOf =
  (served: readonly ServedResource[]) =>
  (type: string): ServedResource | undefined =>
    served.find((r) =>
      [r.plural, r.singular, `${r.plural}.${r.group}`, ...(r.shortNames ?? [])].includes(type),
    )

export const finderOf =
  (served: readonly ServedResource[]) =>
  (group: string, kind: string, version?: string): ServedResource | undefined =>
    served.find(
      (r) =>
        r.group === group && r.kind === kind && (version === undefined ? r.preferred : r.version === version),
    )

/** Resources of the definitions among the objects: their kinds may not be served yet. */
export function definedResources(objects: readonly KubeObject[]): ServedResource[] {
  return objects.flatMap((o) => {
    if (o.kind !== 'CustomResourceDefinition' || !isObject(at(o, 'spec'))) return []
    const [group, kind, plural, versions] = [
      at(o, 'spec', 'group'),
      at(o, 'spec', 'names', 'kind'),
      at(o, 'spec', 'names', 'plural'),
      at(o, 'spec', 'versions'),
    ]
    if (!Array.isArray(versions)) return []
    return versions.map((v, i) => ({
      group: String(group),
      version: String(at(v, 'name')),
      kind: String(kind),
      plural: String(plural),
      namespaced: at(o, 'spec', 'scope') === 'Namespaced',
      verbs: [],
      hasStatus: false,
      preferred: i === 0,
    }))
  })
}
