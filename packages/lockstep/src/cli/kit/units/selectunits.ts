/** Which units a command line means, and what is to be on them. */

import { ok, type Result } from '@lockstep/kube/env'
import { controllerRevisionKind } from '@lockstep/kube/kinds'
import { type Digest, digestOf, type Stored, short10 } from '@lockstep/kube/object'
import type { Inventory, Module, ModuleSpec } from '../../../api/kinds/index.ts'
import { MODULE_LABEL } from '../../../api/labels.ts'
import { moduleRevisionsLabel, type RevisionRecord, readRevision } from '../../../controllers/cache/index.ts'
import { secretHoldersOf } from '../../../controllers/unit/index.ts'
import type { ModuleRef } from '../../../decisions/graph/index.ts'
import { fleetRevision } from '../../../decisions/rollout/index.ts'
import type { UnitOnCluster } from '../../../deliver/ownership/index.ts'
import { type BindFailure, desiredStateOf, moduleRefOf, unitName } from '../../../deliver/plan/index.ts'
import { textsToRedact } from '../../../deliver/state/index.ts'
import { servedKindsOf } from '../../../fleet/connection/index.ts'
import {
  type Bundle,
  BundleStore,
  bindValues,
  faultLines,
  type SourceFailure,
  valuesBundle,
  valuesOf,
} from '../../../sources/intake/index.ts'
import { type ClusterConnection, type ClusterConnections, type HubConnection, listAll } from '../hub/index.ts'
import { type CliFailure, type CommandContext, failed } from '../index.ts'
import { cellOf, clusterNames, type FleetSnapshot, inventoryOf } from '../snapshot/index.ts'
import { nearest } from '../terminal/index.ts'

import { readBindings } from './readbindings.ts'

export interface SelectedUnit {
  readonly module: Stored<Module>
  readonly ref: ModuleRef
  readonly cluster: string
  readonly inventory: Stored<Inventory> | undefined
}

/** `web`, `module/web` or `bmod/web`. */
export function moduleOf(
  s: FleetSnapshot,
  hub: HubConnection,
  text: string,
): Result<Stored<Module>, CliFailure> {
  const [word, name] = text.includes('/') ? (text.split('/') as [string, string]) : [undefined, text]
  const isMeant = (m: Stored<Module>): boolean =>
    word === undefined || /^b/i.test(word) === (m.kind === 'BootstrapModule')
  const found = s.modules.find((m) => m.metadata.name === name && isMeant(m))
  if (found) return ok(found)
  const meant = nearest(
    name,
    s.modules.map((m) => m.metadata.name),
  )
  const suggestion = meant ? `did you mean ${meant}?` : 'to search another namespace, use -n'
  return failed('E_NOT_FOUND', { kind: 'Module', name, namespace: hub.namespace, suggestion })
}

/** `MODULE@CLUSTER`, `MODULE` or `module/MODULE`; without a cluster all on which the module is or is to be. */
export function selectUnits(
  s: FleetSnapshot,
  hub: HubConnection,
  text: string,
  flag: string | undefined,
): Result<SelectedUnit[], CliFailure> {
  const [path = '', at] = text.split('@')
  const cluster = flag ?? at
  const { namespace } = hub
  const found = moduleOf(s, hub, path)
  if (!found.ok) return found
  const module = found.value
  const { name } = module.metadata
  const clusters = clustersOf(s, module)
  if (cluster !== undefined && !clusters.includes(cluster)) {
    const meant = nearest(cluster, clusters)
    const there = clusters.slice(0, 8).join(', ') || 'none'
    const suggestion = meant ? `did you mean ${meant}?` : `${name} is on ${there}`
    return failed('E_NOT_FOUND', { kind: 'cluster', name: cluster, namespace, suggestion })
  }
  return ok(unitsOf(s, module, cluster === undefined ? clusters : [cluster]))
}

/** All units of the namespace. */
export const allUnits = (s: FleetSnapshot, cluster: string | undefined): SelectedUnit[] =>
  s.modules.flatMap((module) =>
    unitsOf(
      s,
      module,
      clustersOf(s, module).filter((x) => cluster === undefined || x === cluster),
    ),
  )

const clustersOf = (s: FleetSnapshot, module: Stored<Module>): string[] =>
  clusterNames(s).filter((x) => cellOf(s, module, x).state !== 'none')

function unitsOf(s: FleetSnapshot, module: Stored<Module>, clusters: readonly string[]): SelectedUnit[] {
  const ref = moduleRefOf(module)
  return clusters.map((cluster) => ({
    module,
    ref,
    cluster,
    inventory: inventoryOf(s, ref.name, cluster),
  }))
}

/** Which revision of a module is meant. */
export type RevisionChoice =
  | { readonly type: 'published' }
  /** What is delivered there. */
  | { readonly type: 'admitted' }
  /** By the first digits of its hash. */
  | { readonly type: 'revision'; readonly prefix: string }

/** The history of a module; read once for all of its units. */
export async function revisionsOf(
  c: CommandContext,
  hub: HubConnection,
  ref: ModuleRef,
): Promise<Result<RevisionRecord[], CliFailure>> {
  const labelSelector = `${MODULE_LABEL}=${moduleRevisionsLabel(ref)}`
  const found = await listAll(c, hub, controllerRevisionKind, { namespace: ref.namespace, labelSelector })
  if (!found.ok) return found
  const all = found.value.map(readRevision).filter((r) => r !== undefined)
  return ok(all.filter((r) => r.module.name === ref.name && r.module.kind === ref.kind))
}

/** Undefined: nothing is admitted there yet. */
export function revisionFor(
  unit: SelectedUnit,
  wanted: RevisionChoice,
  known: readonly RevisionRecord[],
): Result<RevisionRecord | undefined, CliFailure> {
  const { module, inventory } = unit
  const hash = (d: Digest): string => d.slice(d.lastIndexOf(':') + 1)
  const kind = module.kind
  const { name } = module.metadata
  if (wanted.type === 'admitted')
    return ok(known.find((r) => r.revision === inventory?.spec.admitted?.revision))
  const prefix = wanted.type === 'revision' ? wanted.prefix.replace(/^v1:/, '') : undefined
  const found =
    prefix === undefined
      ? known.find((r) => r.revision === fleetRevision(module.status))
      : (known.find((r) => r.release === prefix) ?? known.find((r) => hash(r.revision).startsWith(prefix)))
  if (found) return ok(found)
  if (prefix === undefined)
    return failed('E_REFUSED', {
      ref: `${kind} ${name}`,
      problem: 'nothing is published',
      suggestion: `lockstep status ${name}`,
    })
  const there = known.map((r) => short10(r.revision)).join(', ')
  return failed('E_NOT_FOUND', {
    kind: 'revision',
    name: prefix,
    namespace: unit.ref.namespace,
    suggestion: `revisions of ${name}: ${there}`,
  })
}

/** A unit as its cluster would get it. */
export interface BoundUnit {
  readonly unit: SelectedUnit
  readonly revision: RevisionRecord
  readonly on: UnitOnCluster
  /** What of its texts nobody may see. */
  readonly hidden: readonly string[]
}

/** `as`: bound to what is admitted there, or to what its bindings are now. */
export async function bindUnit(
  c: CommandContext,
  unit: SelectedUnit,
  revision: RevisionRecord,
  as: 'admitted' | 'now',
  { hub, clusters, bundles, there }: Binder & { readonly there: ClusterConnection },
): Promise<Result<BoundUnit, CliFailure>> {
  const refused = (problem: string) =>
    failed('E_REFUSED', {
      ref: `${unit.module.kind} ${unit.module.metadata.name} on ${unit.cluster}`,
      problem,
      suggestion: `lockstep why ${unit.module.metadata.name}@${unit.cluster}`,
    })
  const { admitted } = unit.inventory?.spec ?? {}
  const before = admitted?.values
  const known = before === undefined ? undefined : await bundles.get(unit.ref.namespace, before)
  // What is there already may come of a Secret, too.
  const old = known?.ok ? textsToRedact(valuesOf(known.value).values()) : []
  const bundle =
    as === 'admitted'
      ? await bundles.bound(unit.ref.namespace, { bundle: revision.bundle, values: before })
      : await boundNow(c, unit, revision, { hub, clusters, bundles })
  if (!bundle.ok) return refused(faultLines(bundle.error))
  const on = bindObjects(unit, revision.spec, bundle.value, there)
  const hidden = [...textsToRedact(bundle.value.values?.values() ?? []), ...old]
  return on.ok ? ok({ unit, revision, on: on.value, hidden }) : refused(on.error.message)
}

/** Where bundles, and what they are bound to, are read. */
export interface Binder {
  readonly hub: HubConnection
  readonly clusters: ClusterConnections
  readonly bundles: BundleStore
}

/** A published bundle, with what its bindings are on a cluster now. */
export async function boundNow(
  c: CommandContext,
  { ref: { namespace }, cluster: name }: Pick<SelectedUnit, 'ref' | 'cluster'>,
  { bundle: digest, values, mentions, spec }: RevisionRecord,
  { hub, clusters, bundles }: Binder,
): Promise<Result<Bundle, SourceFailure>> {
  const bundle = await bundles.get(namespace, digest)
  const cluster = clusters.view(name)
  if (!bundle.ok || !cluster || mentions.length === 0) return bundle
  const shared = values === undefined ? ok(undefined) : await bundles.get(namespace, values)
  if (!shared.ok) return shared
  const known = shared.value ? valuesOf(shared.value) : new Map()
  const found = await readBindings(
    c,
    { hub, clusters, cluster, beside: [] },
    spec.bindings ?? [],
    mentions,
    known,
  )
  return found.ok ? bindValues(bundle.value, valuesBundle(found.value, digestOf)) : found
}

/** The same, of objects that are in no bundle yet. */
export function bindObjects(
  unit: Pick<SelectedUnit, 'ref' | 'inventory'>,
  spec: Parameters<typeof secretHoldersOf>[0] & Pick<ModuleSpec, 'apply' | 'render'>,
  bundle: Pick<Bundle, 'objects' | 'holders'>,
  { client, served }: ClusterConnection,
): Result<UnitOnCluster, BindFailure> {
  const { served: find } = servedKindsOf(served)
  const { apply, render } = spec
  // Nobody compares digests here.
  const { ignore, dialects } = apply
  const isSecretHolder = secretHoldersOf(spec, bundle)
  const binding = { namespace: render?.namespace, ignore, dialects, isSecretHolder }
  const desired = desiredStateOf(bundle.objects, binding, find, () => '')
  if (!desired.ok) return desired
  const { inventory } = unit
  return ok({
    cluster: { client, served: find },
    desired: desired.value,
    inventory: inventory && { uid: inventory.metadata.uid, objects: inventory.spec.objects ?? [] },
    unit: unitName(unit.ref),
    namespace: unit.ref.namespace,
    apply,
  })
}

export const bundlesOf = (hub: HubConnection): BundleStore => new BundleStore(hub.client)
