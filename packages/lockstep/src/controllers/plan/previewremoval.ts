/** Effect of the deletion of a Module on one cluster: the decisions of its removal, on objects that are read once. */
import { type KubeClient, listAll, type RequestError, type ServedResource } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { apiVersionOf, defineKind, identityOf, type KubeObject, type Stored } from '@lockstep/kube/object'
import type { Inventory, InventoryObject, ModuleSpec } from '../../api/kinds/index.ts'
import { UNIT_LABEL } from '../../api/labels.ts'
import type { ModuleRef } from '../../decisions/graph/index.ts'
import { deletionAnnotationsReader } from '../../decisions/order/index.ts'
import {
  foreseeRemoval,
  isContainer,
  leavingRules,
  type PruneEntry,
  type PruneView,
  pruneBlockers,
} from '../../deliver/deletion/index.ts'
import { unitName } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { type LiveObject, liveObjectOf, servedAs, servedKindsOf } from '../../fleet/connection/index.ts'
import type { BundleStore } from '../../sources/intake/index.ts'
import { pruneConsents } from '../cache/index.ts'
import { type ClaimParts, ClaimReader } from '../claims/index.ts'
import { SourceProgress } from '../publish/index.ts'
import {
  type ContentScope,
  contentText,
  definedKinds,
  foreignContent,
  revisionOfUnit,
  UnitClaims,
  type UnitClaimsDeps,
} from '../unit/index.ts'
import { FleetCopy, type FleetObjects } from './fleetcopy.ts'

/** Claims on lists of the hub. ClusterResourceSets with strategies of Cluster API have none here. */
export function listedClaims(
  objects: FleetObjects,
  env: UnitClaimsDeps['env'],
  bundles: BundleStore,
  progress: ClaimParts['progress'] = new SourceProgress(env.clock),
): UnitClaimsDeps {
  const copy = new FleetCopy(objects, () => env.clock.now())
  const sets = { all: () => [], get: () => undefined, labels: {} }
  const claims = { reader: new ClaimReader(bundles), progress, sets: { of: () => undefined } }
  return { hub: { ...copy, sets }, fleet: copy.fleet, env, content: { claims } }
}

/** A unit, and how its cluster is read. */
export interface PreviewedUnit {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly inventory: Stored<Inventory>
  readonly client: KubeClient
  readonly resources: readonly ServedResource[]
}

export interface PreviewedObject {
  readonly entry: InventoryObject
  readonly fate: RemovalFate
}

export type RemovalFate =
  | { readonly type: 'HandOver'; readonly to: ModuleRef }
  /** `existed`: before Lockstep delivered it. */
  | { readonly type: 'Delete'; readonly existed: boolean }
  /** The object stays on the cluster, unmanaged. */
  | { readonly type: 'Orphan' }
  /** The object existed before, and stays until a person confirms its deletion. */
  | { readonly type: 'Existed' }
  /** A person confirms its deletion: `content` that Lockstep did not deliver, or a `foreign` Module with the object. */
  | { readonly type: 'Confirm'; readonly content?: string; readonly foreign?: string }
  | { readonly type: 'Wait'; readonly message: string }

/** Reads the cluster only. An error: it gives no answers. */
export async function previewRemoval(
  c: UnitClaimsDeps,
  unit: PreviewedUnit,
  policy: ModuleSpec['apply']['deletionPolicy'],
): Promise<Result<PreviewedObject[], RequestError>> {
  const { ref, cluster, inventory, client, resources } = unit
  const { served } = servedKindsOf(resources)
  const session = { client, resources, served, uid: inventory.spec.clusterUid || undefined }
  const scope = { ref, cluster, inventory, session }
  const entries = inventory.spec.objects ?? []
  const found = await readLive(unit, entries)
  if (!found.ok) return found
  const isDefined = await definedKinds(session, entries)
  const leaving = entries.map((entry) => {
    const missing = servedAs(session, entry) || !isDefined(entry) ? 'gone' : 'unserved'
    return { entry, live: found.value.get(identityOf(entry)) ?? missing } as const
  })
  const claims = new UnitClaims(c, scope, true)
  await claims.open(leaving, [])
  const { admitted } = inventory.spec
  const { apply } = (admitted && revisionOfUnit(c, ref, admitted.revision)?.spec) ?? {}
  const question = { ref, admitted: admitted?.revision, isRemoval: true }
  const isConfirmed = pruneConsents(c.hub, question).length > 0
  const said = deletionAnnotationsReader(apply?.dialects)
  const grounds = { leave: 'Delete', namespaces: apply?.namespaces } as const
  const view: PruneView = {
    inventoryUid: inventory.metadata.uid,
    module: { namespace: ref.namespace, name: ref.name },
    cluster: cluster.name,
    entries: leaving.flatMap(({ entry, live }): PruneEntry[] => {
      const fate = claims.fateOf({ entry, live })
      if (fate?.type === 'Stay') return []
      const rules = leavingRules(entry, live, grounds, said)
      const foreign = fate?.type === 'Confirm' ? fate.foreign : undefined
      return [
        {
          entry,
          live,
          unlisted: undefined,
          fate: fate?.type === 'Confirm' ? undefined : fate,
          asked: false,
          terminatingMs: 0,
          ...rules,
          confirm: !isConfirmed && (rules.confirm || foreign !== undefined),
          foreign,
          refused: undefined,
        },
      ]
    }),
  }
  const contents = await contentsOf(c, scope, view, {
    policy,
    isAsked: !isConfirmed,
    namespaces: apply?.namespaces,
  })
  return contents.ok ? ok(fatesOf(view, policy, contents.value)) : contents
}

/** Objects with the label of the unit, by identity. */
async function readLive(
  { ref, client, resources }: PreviewedUnit,
  entries: readonly InventoryObject[],
): Promise<Result<Map<string, LiveObject>, RequestError>> {
  const served = servedKindsOf(resources)
  const kinds = new Set(entries.flatMap((entry) => servedAs(served, entry) ?? []))
  const found = new Map<string, LiveObject>()
  for (const resource of kinds) {
    const kind = defineKind<KubeObject>(resource)
    const labelSelector = `${UNIT_LABEL}=${unitName(ref)}`
    const all = await listAll(client, kind, { purpose: 'user', labelSelector })
    if (!all.ok) return all
    for (const o of all.value) {
      const live = liveObjectOf({ ...o, apiVersion: apiVersionOf(resource), kind: resource.kind })
      found.set(identityOf(live.ref), live)
    }
  }
  return ok(found)
}

interface ContentQuestion {
  readonly policy: ModuleSpec['apply']['deletionPolicy']
  readonly isAsked: boolean
  readonly namespaces: ModuleSpec['apply']['namespaces'] | undefined
}

/** Objects that no unit delivered, in Namespaces and of kinds that would be deleted, by identity of these. */
async function contentsOf(
  { hub }: UnitClaimsDeps,
  scope: ContentScope,
  view: PruneView,
  { policy, isAsked, namespaces }: ContentQuestion,
): Promise<Result<Map<string, string>, RequestError>> {
  const contents = new Map<string, string>()
  for (const entry of isAsked ? foreseeRemoval(view, policy).deleted.filter(isContainer) : []) {
    if (entry.kind === 'Namespace' && namespaces === 'Delete') continue
    const { live } = view.entries.find((p) => p.entry === entry)!
    const found = await foreignContent(scope, { entry, live: live as LiveObject }, hub)
    if (!found.ok) return found
    if (found.value) contents.set(identityOf(entry), contentText(found.value))
  }
  return ok(contents)
}

/** Pure. */
function fatesOf(
  view: PruneView,
  policy: ModuleSpec['apply']['deletionPolicy'],
  contents: ReadonlyMap<string, string>,
): PreviewedObject[] {
  const entries = view.entries.map((p) => ({ ...p, confirm: p.confirm || contents.has(identityOf(p.entry)) }))
  const { handedOver, deleted, kept, left } = foreseeRemoval({ ...view, entries }, policy)
  return [
    ...handedOver.map(({ entry, to }) => ({ entry, fate: { type: 'HandOver', to } as const })),
    ...deleted.map((entry) => ({
      entry,
      fate: { type: 'Delete', existed: entry.existed === true } as const,
    })),
    ...kept.map((entry) => ({ entry, fate: { type: 'Orphan' } as const })),
    ...left.map((p) => ({ entry: p.entry, fate: leftFate(view, p, contents.get(identityOf(p.entry))) })),
  ]
}

function leftFate(view: PruneView, p: PruneEntry, content: string | undefined): RemovalFate {
  const [blocker] = pruneBlockers({ ...view, entries: [p] })
  if (p.confirm && blocker?.reason === 'PruneConfirmation') {
    if (p.existed) return { type: 'Existed' }
    return { type: 'Confirm', ...(content ? { content } : {}), ...(p.foreign ? { foreign: p.foreign } : {}) }
  }
  return {
    type: 'Wait',
    message: blocker ? `${blocker.reason}: ${blocker.message}` : 'it contains objects that wait',
  }
}
