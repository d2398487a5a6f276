/** Claims of other units to objects that a unit would delete, or that another unit holds. */
import { refOf, refText } from '@lockstep/kube/object'
import { type ModuleRef, moduleId } from '../../decisions/graph/index.ts'
import {
  type ClaimedObject,
  type ClaimFate,
  type ClaimingUnit,
  ClaimSet,
  type Claims,
  fateOf,
  type HolderDecision,
  holderDecision,
  insists,
  keeps,
  keysOfObject,
  listsGiver,
} from '../../decisions/ownership/index.ts'
import { refOfInventory } from '../../deliver/plan/index.ts'
import type { ClusterView, FleetReader } from '../../fleet/clusters/index.ts'
import type { ServedKinds } from '../../fleet/connection/index.ts'
import {
  externalAssignment,
  findRevisionRecord,
  type HubCaches,
  type HubInformers,
  isManagedSet,
  moduleIndexOf,
  type ObservationDeps,
  type RevisionRecord,
  revisionIn,
  SET_KIND,
  type SetPlans,
  selectsBySet,
} from '../cache/index.ts'
import type { SourceProgress } from '../publish/index.ts'
import { hubTime } from '../runtime/index.ts'
import { claimingUnit, claimsCluster } from './claimingunits.ts'
import type { ClaimPlace, ClaimReader } from './claimreader.ts'

/** Parts of one process by which claims are known. */
export interface ClaimParts {
  readonly reader: ClaimReader
  readonly progress: Pick<SourceProgress, 'isUnsettled'>
  readonly sets: Pick<SetPlans, 'of'>
}

/** Caches of the hub, or lists that stand for them. */
export type ClaimHub = HubCaches & { readonly sets: Pick<HubInformers['sets'], 'all' | 'get' | 'labels'> }

export interface ClusterClaimsDeps {
  readonly hub: ClaimHub
  readonly fleet: FleetReader
  readonly env: ObservationDeps['env']
  readonly claims: ClaimParts
}

/** The unit that asks, on its cluster. */
export interface ClaimAsker {
  readonly ref: ModuleRef
  readonly cluster: ClusterView
  readonly session: Pick<ServedKinds, 'served'> & { readonly uid: string | undefined }
  /** The unit is being removed: none of its own revisions keeps an object. */
  readonly isLeaving: boolean
}

export interface ClaimQuestions {
  /** Objects that the unit would delete. */
  readonly deletes: readonly ClaimedObject[]
  /** Units that hold objects of the bundle. */
  readonly holders: readonly ModuleRef[]
}

/** The answers, as of the time at which they were opened. */
export class ClusterClaims {
  private readonly view: Claims
  private readonly own: ClaimingUnit | undefined
  private readonly takes: boolean

  /** `takes`: its Module is not being deleted. Before the removal begins, the unit keeps its objects and takes none. */
  constructor(view: Claims, own: ClaimingUnit | undefined, takes: boolean) {
    this.view = view
    this.own = own
    this.takes = takes
  }

  /** Fate of an object that the unit would delete. */
  fateOf(x: ClaimedObject): ClaimFate {
    return fateOf(x, this.view)
  }

  /** Decision about an object of the bundle that another unit holds. */
  holderDecision(x: ClaimedObject['ref'], holder: ModuleRef): HolderDecision {
    if (!this.own || !this.takes) return 'Wait'
    const id = moduleId(holder)
    return holderDecision(
      x,
      this.own,
      this.view.units.find((u) => moduleId(u.ref) === id),
    )
  }

  /** The unit has an object that it may take from a unit without claims; `hasLeft`: that has no business on the cluster. */
  takesFrom(x: ClaimedObject['ref'], holder: ModuleRef, hasLeft: boolean): boolean {
    if (!this.takes || this.own === undefined) return false
    return insists(this.own, x) && (hasLeft || listsGiver(this.own, holder))
  }

  /** A revision of another unit has an object; false, too: nothing is known of the unit. */
  isKeptBy(x: ClaimedObject['ref'], ref: ModuleRef): boolean {
    const unit = this.view.units.find((u) => moduleId(u.ref) === moduleId(ref))
    return unit !== undefined && keeps(unit, x) !== undefined
  }

  /** A revision of the unit itself has an object in a Namespace, or of a kind. */
  usesItself({ contents }: ClaimedObject): boolean {
    return contents !== undefined && this.own?.kept.some((set) => set.isIn(contents)) === true
  }
}

export async function openClusterClaims(
  c: ClusterClaimsDeps,
  asker: ClaimAsker,
  { deletes, holders }: ClaimQuestions,
): Promise<ClusterClaims> {
  const { hub } = c
  const { ref, cluster, session } = asker
  const place: ClaimPlace = { view: cluster, served: (...of) => session.served(...of) }
  const records = recordsOf(hub, deletes)
  const beside = new Map([...holders, ...records.map((r) => r.module)].map((m) => [moduleId(m), m]))
  beside.delete(moduleId(ref))
  const units: ClaimingUnit[] = []
  for (const other of beside.values())
    if (other.namespace === ref.namespace) units.push(...(await unitOf(c, other, place)))
  if (deletes.length > 0 || holders.some((h) => h.owner !== undefined))
    units.push(...(await externalUnits(c, asker, place)))
  if (deletes.length > 0) units.push(...setUnits(c, asker, place))
  const module = asker.isLeaving ? undefined : hub.module(ref)
  const own = module && (await claimingUnit(readerOf(c), ref, module, place))
  const view: Claims = {
    holder: ref,
    own: own ? own.kept.filter((set) => set !== own.admitted) : [],
    units,
    unsettled: deletes.length === 0 ? [] : unsettledOn(c, asker),
    foreign: await foreignUnits(c, asker, records),
  }
  return new ClusterClaims(view, own, claimsCluster(module, cluster))
}

/** Revisions of all namespaces that may have one of the objects, or something in it. */
function recordsOf(hub: HubCaches, deletes: readonly ClaimedObject[]): RevisionRecord[] {
  const found = new Set<RevisionRecord>()
  const keys = new Set(deletes.flatMap(({ ref, contents }) => keysOfObject(ref, contents)))
  for (const key of keys) for (const record of hub.revisions.store.by('claim', key)) found.add(record)
  return [...found]
}

const readerOf = ({ hub, env, claims: { reader } }: ClusterClaimsDeps) => ({
  hub,
  nowMs: hubTime({ hub, env }).nowMs,
  reader,
})

async function unitOf(c: ClusterClaimsDeps, ref: ModuleRef, place: ClaimPlace): Promise<ClaimingUnit[]> {
  const module = c.hub.module(ref)
  if (!claimsCluster(module, place.view)) return []
  return [await claimingUnit(readerOf(c), ref, module, place)]
}

/** Units that other controllers assign, as far as they have an Inventory. */
async function externalUnits(
  { hub, claims }: ClusterClaimsDeps,
  { ref, cluster }: ClaimAsker,
  place: ClaimPlace,
): Promise<ClaimingUnit[]> {
  const found: ClaimingUnit[] = []
  for (const inventory of hub.inventories.store.by('cluster', `${ref.namespace}/${cluster.name}`)) {
    const other = refOfInventory(inventory)
    if (other.owner === undefined || moduleId(other) === moduleId(ref)) continue
    const admitted = inventory.spec.admitted?.revision
    const assigned = externalAssignment(hub, other, admitted)
    if (!assigned || assigned.removal) continue
    const setAt = async (revision: string | undefined): Promise<ClaimSet | undefined> => {
      const record = revision === undefined ? undefined : revisionIn(hub, ref.namespace, revision)
      return record && claims.reader.setOf(record, place, undefined)
    }
    const [aim, there] = [await setAt(assigned.revision), await setAt(admitted)]
    const kept = [aim, there].filter((set) => set !== undefined)
    const createdAt = inventory.metadata.creationTimestamp
    found.push({ ref: other, createdAt, aim, admitted: there, kept, unread: undefined, takesFrom: [] })
  }
  return found
}

/** ClusterResourceSets with strategy ApplyOnce or Reconcile: they keep objects that other units own. */
function setUnits(
  { hub, claims }: ClusterClaimsDeps,
  { ref, cluster }: ClaimAsker,
  place: ClaimPlace,
): ClaimingUnit[] {
  return [...hub.sets.all()].flatMap((set): ClaimingUnit[] => {
    const { namespace = '', name, creationTimestamp, deletionTimestamp } = set.metadata
    const plan = claims.sets.of(set)
    if (namespace !== ref.namespace || deletionTimestamp !== undefined || !plan || plan.isContinuous)
      return []
    if (!isManagedSet(hub, set) || !selectsBySet(set, cluster)) return []
    const objects = plan.contents.flatMap((content) => content.objects)
    const texts = objects.map(({ object }) => `${refText(refOf(object))} IfNotPresent`)
    const isNamespaced = (group: string, kind: string) => place.served(group, kind)?.namespaced
    const kept = new ClaimSet(texts, { namespace: undefined, values: new Map(), isNamespaced })
    const unit = { ref: { kind: SET_KIND, namespace, name }, createdAt: creationTimestamp }
    return [{ ...unit, aim: kept, admitted: undefined, kept: [kept], unread: undefined, takesFrom: [] }]
  })
}

/** Modules that may still publish a revision with one of the objects. */
function unsettledOn(
  { hub, claims }: ClusterClaimsDeps,
  { ref, cluster, isLeaving }: ClaimAsker,
): ModuleRef[] {
  const admitted = hub.unit(ref, cluster.name)?.spec.admitted?.revision
  const beside = findRevisionRecord(hub, ref, admitted)
  return [...moduleIndexOf(hub, ref.namespace)].flatMap((module): ModuleRef[] => {
    const other = { kind: module.kind, namespace: ref.namespace, name: module.metadata.name }
    const isOwn = moduleId(other) === moduleId(ref)
    if ((isOwn && isLeaving) || !claimsCluster(module, cluster)) return []
    return claims.progress.isUnsettled(hub, other, module, beside) ? [other] : []
  })
}

/** Units of other hub namespaces on the same cluster, by the identity of the cluster. */
async function foreignUnits(
  c: ClusterClaimsDeps,
  { ref, session }: ClaimAsker,
  records: readonly RevisionRecord[],
): Promise<ClaimingUnit[]> {
  const modules = new Map(records.map(({ module }) => [moduleId(module), module]))
  const found: ClaimingUnit[] = []
  for (const other of modules.values()) {
    if (other.namespace === ref.namespace || session.uid === undefined) continue
    for (const view of c.fleet.of(other.namespace))
      if (c.fleet.connection(view)?.uid === session.uid)
        found.push(...(await unitOf(c, other, { view, served: (...of) => session.served(...of) })))
  }
  return found
}
