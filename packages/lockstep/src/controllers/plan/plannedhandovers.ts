/**
 * Objects that would change hands with a plan: the claims of the controllers, on the lists of the hub at the end of the plan. Clusters are not
 * read; each object is where the Inventories list it.
 */
import type { ServedResource } from '@lockstep/kube/client'
import { identityOf, type KubeObject, type ObjectReference, type Stored } from '@lockstep/kube/object'
import type { Inventory, InventoryObject } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import { type ClaimSet, type HolderDecision, keysOfObject } from '../../decisions/ownership/index.ts'
import { refOfInventory, unitName } from '../../deliver/plan/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import { type LiveObject, liveObjectOf, type ServedKinds } from '../../fleet/connection/index.ts'
import type { BundleStore } from '../../sources/intake/index.ts'
import { findRevisionRecord } from '../cache/index.ts'
import { claimsCluster } from '../claims/index.ts'
import { UnitClaims, type UnitClaimsDeps } from '../unit/index.ts'
import { contestedObjects } from './contestedobjects.ts'
import type { FleetObjects } from './fleetcopy.ts'
import { listedClaims } from './previewremoval.ts'

export interface PlannedHandover {
  readonly cluster: string
  readonly object: ObjectReference
  /** The unit that holds the object now; of `Race` one of both. */
  readonly from: ModuleRef
  readonly outcome: HandoverOutcome
}

export type HandoverOutcome =
  /** The object changes hands with the plan; `to` must only start first if `isPending`. */
  | { readonly type: 'HandOver'; readonly to: ModuleRef; readonly isPending: boolean }
  /** Both have it: `to` does not start until the holder is deleted, and receives it then. */
  | { readonly type: 'AfterDeletion'; readonly to: ModuleRef }
  /** Both have it: `to` does not start. After a deletion of the holder another unit has it, or the first that starts. */
  | { readonly type: 'Conflict'; readonly to: ModuleRef }
  /** No unit holds it, and both have it: the first that starts owns it, and the other does not start. */
  | { readonly type: 'Race'; readonly to: ModuleRef }
  /** A Module of another hub namespace has it: the object stays until a person confirms its deletion. */
  | { readonly type: 'Confirm'; readonly foreign: string }

export interface HandoverInput {
  /** Lists of the hub at the end of the plan; of other namespaces as far as they are known. */
  readonly end: FleetObjects
  /** Inventories as they are now. */
  readonly inventories: readonly Stored<Inventory>[]
  readonly env: UnitClaimsDeps['env']
  readonly bundles: BundleStore
  /** Kinds of the hub, for those of which no Inventory lists an object. */
  readonly served: ServedKinds['served']
}

/** In a plan each Module is published, or was refused. */
const SETTLED = { isUnsettled: () => false }

/** By cluster, holder and object. */
export async function plannedHandovers(p: HandoverInput): Promise<PlannedHandover[]> {
  const claims = listedClaims(p.end, p.env, p.bundles, SETTLED)
  const input = { ...p, claims, served: listedKinds(p) }
  const units = input.inventories
    .filter(({ metadata, spec }) => metadata.namespace === p.end.namespace && spec.released === undefined)
    .sort((a, b) => (orderKey(a) < orderKey(b) ? -1 : 1))
  const found: PlannedHandover[] = []
  for (const inventory of units) found.push(...(await handoversOf(input, inventory)))
  for (const { cluster, object, modules } of await contestedObjects(input))
    found.push({ cluster, object, from: modules[0], outcome: { type: 'Race', to: modules[1] } })
  return found
}

interface ClaimInput extends HandoverInput {
  readonly claims: UnitClaimsDeps
}

const orderKey = ({ metadata, spec }: Stored<Inventory>): string =>
  `${spec.clusterRef.name} ${spec.moduleRef.name} ${metadata.name}`

/** Clusters are not read: an object that an Inventory lists shows the scope of its kind. */
function listedKinds({ inventories, served }: HandoverInput): ServedKinds['served'] {
  const known = new Map<string, ServedResource>()
  for (const { spec } of inventories)
    for (const { group, version, kind, namespace } of spec.objects ?? []) {
      const namespaced = namespace !== undefined
      const rest = { plural: '', verbs: [], hasStatus: false, preferred: true }
      known.set(`${group}/${kind}`, { ...rest, group, version, kind, namespaced })
    }
  return (group, kind, version) => known.get(`${group}/${kind}`) ?? served(group, kind, version)
}

interface Holder {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly inventory: Stored<Inventory>
  readonly session: { readonly served: ServedKinds['served']; readonly uid: string | undefined }
}

async function handoversOf(
  input: ClaimInput,
  inventory: Stored<Inventory>,
): Promise<readonly PlannedHandover[]> {
  const { claims } = input
  const cluster = claims.fleet.view(input.end.namespace, inventory.spec.clusterRef.name)
  const { objects = [] } = inventory.spec
  if (!cluster || objects.length === 0 || claims.fleet.condition(cluster).state !== 'Connected') return []
  const session = { served: input.served, uid: inventory.spec.clusterUid || undefined }
  const holder = { ref: refOfInventory(inventory), cluster, inventory, session }
  const end = claims.hub.unit(holder.ref, cluster.name)
  const there = end && (await admittedClaims(input, holder, end))
  // Without its revision its deletions are not known.
  if (end && !there) return []
  const leaving = objects.filter((entry) => !there?.match(entry))
  const staying = objects.filter(
    (entry) => there?.match(entry) && othersWith(input, holder, entry).length > 0,
  )
  return [
    ...(await fatesOf(input, holder, leaving, end === undefined)),
    ...(await claimsTo(input, holder, staying)),
  ]
}

async function admittedClaims(
  { claims }: ClaimInput,
  { ref, cluster, session }: Holder,
  { spec }: Stored<Inventory>,
): Promise<ClaimSet | undefined> {
  const { admitted } = spec
  const record = admitted && findRevisionRecord(claims.hub, ref, admitted.revision)
  const place = { view: cluster, served: session.served }
  return record && claims.content.claims.reader.setOf(record, place, admitted.values)
}

/** Modules of the namespace with the object in a revision, beside its holder. */
function othersWith(
  { claims: { hub } }: ClaimInput,
  { ref, cluster }: Holder,
  x: InventoryObject,
): ModuleRef[] {
  const found = new Map<string, ModuleRef>()
  for (const key of keysOfObject(x, undefined))
    for (const { module } of hub.revisions.store.by('claim', key))
      if (module.namespace === ref.namespace && moduleId(module) !== moduleId(ref))
        found.set(moduleId(module), module)
  return [...found.values()].filter((other) => claimsCluster(hub.module(other), cluster))
}

/** Objects that the holder deletes with the plan, or would delete. */
async function fatesOf(
  input: ClaimInput,
  holder: Holder,
  entries: readonly InventoryObject[],
  isRemoved: boolean,
): Promise<PlannedHandover[]> {
  if (entries.length === 0) return []
  const leaving = await Promise.all(
    entries.map(async (entry) => ({ entry, live: await definitionOf(input, holder, entry) })),
  )
  const claims = new UnitClaims(input.claims, holder, isRemoved)
  await claims.open(leaving, [])
  return leaving.flatMap((l): PlannedHandover[] => {
    const fate = claims.fateOf(l)
    const found = { cluster: holder.cluster.name, object: l.entry, from: holder.ref }
    if (fate?.type === 'HandOver')
      return [{ ...found, outcome: { type: 'HandOver', to: fate.to, isPending: false } }]
    if (fate?.type === 'Confirm') return [{ ...found, outcome: { type: 'Confirm', foreign: fate.foreign } }]
    return []
  })
}

/** A definition says which kind is deleted with it; of other objects nothing must be known. */
async function definitionOf(
  { bundles }: HandoverInput,
  { inventory }: Holder,
  entry: InventoryObject,
): Promise<LiveObject | 'gone'> {
  const { admitted } = inventory.spec
  if (entry.kind !== 'CustomResourceDefinition' || !admitted) return 'gone'
  const bundle = await bundles.get(inventory.metadata.namespace ?? '', admitted.bundle)
  const found = bundle.ok ? bundle.value.objects.find((o) => isDefinition(o, entry)) : undefined
  const metadata = { name: entry.name, uid: entry.uid, resourceVersion: '', creationTimestamp: '' }
  return found ? liveObjectOf({ ...found, metadata }) : 'gone'
}

const isDefinition = ({ kind, metadata }: KubeObject, { name }: InventoryObject): boolean =>
  kind === 'CustomResourceDefinition' && metadata.name === name

/** Objects that the holder keeps, and others have as well. */
async function claimsTo(
  input: ClaimInput,
  holder: Holder,
  entries: readonly InventoryObject[],
): Promise<PlannedHandover[]> {
  const { ref, cluster, inventory, session } = holder
  const receivers = new Map(
    (await fatesOf(input, holder, entries, true)).map(({ object, outcome }) => [identityOf(object), outcome]),
  )
  const marks = { unit: unitName(ref), inventory: inventory.metadata.uid }
  const found: PlannedHandover[] = []
  for (const object of entries) {
    const claimants = await Promise.all(
      othersWith(input, holder, object).map(async (to) => {
        const unit = input.claims.hub.unit(to, cluster.name)
        const scope = { ref: to, cluster, inventory: unit, session }
        const decision = await new UnitClaims(input.claims, scope, false).decideLate(object, marks)
        const there = unit && (await admittedClaims(input, { ...holder, ref: to }, unit))
        return { to, decision, isThere: there?.match(object) !== undefined }
      }),
    )
    // The first of several waiting units that starts takes it.
    const isContested = claimants.filter((c) => c.decision === 'Wait').length > 1
    const deletion = receivers.get(identityOf(object))
    for (const claimant of claimants) {
      const outcome = outcomeOf(claimant, isContested ? undefined : deletion)
      if (outcome) found.push({ cluster: cluster.name, object, from: ref, outcome })
    }
  }
  return found
}

/** Another unit with an object that its holder keeps. */
interface Claimant {
  readonly to: ModuleRef
  readonly decision: HolderDecision
  /** Whether its admitted revision has the object. */
  readonly isThere: boolean
}

/** `deletion`: outcome for the object if the holder were deleted. Pure. */
function outcomeOf(
  { to, decision, isThere }: Claimant,
  deletion: HandoverOutcome | undefined,
): HandoverOutcome | undefined {
  const isReceiver = deletion?.type === 'HandOver' && moduleId(deletion.to) === moduleId(to)
  if (decision === 'Take') return isReceiver ? { type: 'HandOver', to, isPending: !isThere } : undefined
  if (decision !== 'Wait') return undefined
  return isReceiver ? { type: 'AfterDeletion', to } : { type: 'Conflict', to }
}
