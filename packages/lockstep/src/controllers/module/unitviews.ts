/** The units of a module as the scheduler sees them, out of the caches. */

import type { Digest, Stored } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { Assignment, Inventory, InventoryStatus, Module } from '../../api/kinds/index.ts'
import { MANAGED_BY_LABEL } from '../../api/labels.ts'
import { actorOf } from '../../api/reasons/index.ts'
import {
  type GatedUnit,
  gate,
  type Observation,
  type PublishedRevision,
  targetGateDigest,
} from '../../decisions/gate/index.ts'
import { type ModuleRef, moduleEdges, moduleId, namedUnit } from '../../decisions/graph/index.ts'
import type { TargetBundle, UnitAt, UnitHold, UnitView } from '../../decisions/rollout/index.ts'
import { isOrphanedUnit, isUnusedInventory } from '../../deliver/step/index.ts'
import {
  type ClusterCondition,
  type ClusterView,
  type FleetReader,
  identityChanged,
  selectsCluster,
} from '../../fleet/clusters/index.ts'
import {
  findRevisionRecord,
  type HubCaches,
  isOtherCluster,
  isUnitHealthy,
  observedUnit,
  publishedFrom,
  type RevisionRecord,
  requiredDependents,
} from '../cache/index.ts'
import { type Contender, contenderBlockers, contendersOf } from '../claims/index.ts'
import { isBoundAsRecorded, type TargetBindings, type UnitBindings } from '../publish/index.ts'
import { requestedRemoval } from './removal/requestedremoval.ts'
import { isDueInRollbackOrder } from './rollbackorder.ts'
import { unitOrder } from './unitorder.ts'

/** A unit and its inputs. */
export interface UnitFacts {
  readonly view: UnitView
  readonly cluster: ClusterView | undefined
  readonly condition: ClusterCondition
  readonly record: Assignment | undefined
  readonly inventory: Stored<Inventory> | undefined
  /** What it is to be bound to at a revision. */
  readonly wanted: (revision: Digest) => TargetBindings
}

const ABSENT: ClusterCondition = {
  state: 'Absent',
  reason: undefined,
  message: 'the cluster is not in the inventory any more',
}

/** What its bindings are on each cluster. */
export type BoundUnits = Pick<UnitBindings, 'at'>

export interface UnitViewsInput {
  readonly hub: HubCaches
  readonly fleet: FleetReader
  readonly ref: ModuleRef
  readonly module: Stored<Module>
  readonly published: PublishedRevision | undefined
  readonly target: TargetBundle | undefined
  readonly seen: Observation
  readonly bindings: BoundUnits
  /** The Hold by which nothing is written there: no deadline runs. */
  heldBy(cluster: string): string | undefined
  /** What a Hold asks of one cluster's unit. */
  holdOn(cluster: string): UnitHold | undefined
  /** By cluster: units of which nothing has changed since, for whoever knows that. */
  readonly known?: Map<string, UnitFacts> | undefined
}

/** Input of a decision about a fleet, with facts that all of its clusters share. */
interface FleetViewsInput extends UnitViewsInput {
  /** Objects of a revision that other Modules have, too. */
  readonly contenders: (revision: Digest) => readonly Contender[]
}

/** All clusters that the module selects, and all on which something of it is left. */
export function unitViewsOf(views: UnitViewsInput): UnitFacts[] {
  const { hub, fleet, ref, module } = views
  const input: FleetViewsInput = {
    ...views,
    contenders: once((revision) => {
      const record = findRevisionRecord(hub, ref, revision)
      return record ? contendersOf(hub, record) : []
    }),
  }
  const isDeleting = module.metadata.deletionTimestamp !== undefined
  const found = new Map<string, UnitFacts>()
  const add = (name: string, cluster: ClusterView | undefined): void => {
    const selected = !isDeleting && cluster !== undefined && selectsCluster(module.spec.targets, cluster)
    // Another object for the same cluster, with other labels: that the first one is gone is nobody's wish to remove.
    const isLost = !isDeleting && !selected && cluster?.standsIn === true
    const facts = input.known?.get(name) ?? unitOf(input, name, isLost ? undefined : cluster, selected)
    input.known?.set(name, facts)
    if (selected || facts.view.present) found.set(name, facts)
  }
  for (const cluster of fleet.of(ref.namespace)) add(cluster.name, cluster)
  for (const inventory of hub.inventories.store.by('module', moduleId(ref))) {
    const { name } = inventory.spec.clusterRef
    if (!found.has(name)) add(name, fleet.view(ref.namespace, name))
  }
  return [...found.values()]
}

function unitOf(
  input: FleetViewsInput,
  name: string,
  cluster: ClusterView | undefined,
  selected: boolean,
): UnitFacts {
  const { hub, fleet, ref, module } = input
  const stored = hub.unit(ref, name)
  const condition = !cluster || !(selected || stored) ? ABSENT : conditionOf(fleet, cluster, stored)
  // Of a cluster that was replaced by a new one: it is about to be set aside.
  const isOld =
    condition.state === 'Connected' && stored && isOtherCluster(stored, fleet.connection(cluster!)?.uid)
  const record = isOld ? undefined : hub.assignment(ref, name)
  // The controller of units drops an Inventory without an assignment by which nothing was delivered.
  const isNone = stored && (isOld || isOrphanedUnit(stored, record) || isUnusedInventory(stored))
  const inventory = isNone ? undefined : stored
  const isLeaving = !selected || record?.removal !== undefined
  const wanted = once((revision: Digest): TargetBindings => {
    if (!cluster || !selected || condition.state !== 'Connected') return UNKNOWN_BINDINGS
    return input.bindings.at(findRevisionRecord(hub, ref, revision), cluster, { record, inventory })
  })
  const facts: UnitStanding = { input, name, cluster, selected, record, inventory, wanted }
  const view: UnitView = {
    cluster: name,
    labels: cluster?.labels ?? {},
    order: unitOrder(module, cluster?.uid ?? name),
    // Known from before, and being connected to again: not a cluster that nobody has seen yet. What was started on it and
    // is not admitted, or not even assigned yet, keeps its slot, too.
    clusterState:
      condition.state === 'Provisioning' && (inventory ?? record ?? hasSlot(module, name))
        ? 'Connecting'
        : condition.state,
    suspected:
      condition.state === 'Connected' &&
      cluster !== undefined &&
      fleet.connection(cluster)?.problem !== undefined,
    // What is counted elsewhere, or goes, is in no total.
    selected: selected && condition.reason !== 'DuplicateOf' && condition.state !== 'Deleting',
    present: record !== undefined || inventory !== undefined,
    leaving: record?.removal !== undefined,
    recordRevision: record?.removal ? undefined : record?.revision,
    recordStage: record?.stage,
    admittedRevision: inventory?.spec.admitted?.revision,
    healthy: isUnitHealthy(inventory),
    dependants: isLeaving ? dependantsOn(input, name) : [],
    removal: requestedRemoval(record, inventory, input.heldBy(name)),
    hold: input.holdOn(name),
    at: once((revision: Digest) => standingAt(facts, revision)),
  }
  return { view, cluster, condition, record, inventory, wanted }
}

/** Clusters of other Modules are noted as read. */
const fleetOf = ({ hub, fleet }: UnitViewsInput): FleetReader => hub.recorded?.(fleet) ?? fleet

const hasSlot = ({ status }: Stored<Module>, cluster: string): true | undefined =>
  status?.rollout?.ledger?.some((e) => e.cluster === cluster) ? true : undefined

/** Nothing is asked of what cannot be worked on. */
export const UNKNOWN_BINDINGS: TargetBindings = { values: undefined, blockers: [], isPending: true }

/** Each answer is found once. */
function once<T>(answer: (revision: Digest) => T): (revision: Digest) => T {
  const known = new Map<Digest, T>()
  return (revision) => {
    const found = known.get(revision) ?? answer(revision)
    known.set(revision, found)
    return found
  }
}

/** A unit, as far as its standing to a revision is concerned. */
interface UnitStanding {
  readonly input: FleetViewsInput
  readonly name: string
  readonly cluster: ClusterView | undefined
  readonly selected: boolean
  readonly record: Assignment | undefined
  readonly inventory: Stored<Inventory> | undefined
  readonly wanted: (revision: Digest) => TargetBindings
}

/** To the target's revision everything is as its edges want it now; to an older one, as it was admitted. */
function standingAt(
  { input, name, cluster, selected, record, inventory, wanted: wantedAt }: UnitStanding,
  revision: Digest,
): UnitAt {
  const { ref, published, target } = input
  const seen = inventory && observedUnit(inventory)
  const gateApart = (record: RevisionRecord): readonly NewBlocker[] =>
    gateOf(
      { module: ref, cluster: name, published: publishedFrom(record, input.module), isApart: true },
      input.seen,
    )
  const isThere = seen?.admittedRevision === revision
  const isTarget = revision === target?.revision
  const unit = published && { module: ref, cluster: name, published }
  const earlier = isTarget || isThere || !selected ? undefined : findRevisionRecord(input.hub, ref, revision)
  // Lazy: it reads every unit below, and each of these reads wakes the Module later.
  const wanted = (): Digest | undefined =>
    isTarget && unit && selected ? targetGateDigest(unit, input.seen) : seen?.admittedGateDigest
  const admitted = inventory?.spec.admitted
  const verified =
    isThere &&
    seen.verifiedGateDigest !== undefined &&
    seen.verifiedGateDigest === wanted() &&
    isBoundAsRecorded(admitted, record)
  const ahead = isThere && isTarget && isUnitHealthy(inventory) && isAhead(inventory, published)
  const bound = isThere || isTarget || earlier ? wantedAt(revision) : UNKNOWN_BINDINGS
  const { isPending, blockers } = bound
  const isAssigned = isThere && record?.revision === revision && record.removal === undefined
  const isSame = (digest: Digest | undefined): boolean =>
    isPending || (blockers.length === 0 && bound.values?.digest === digest)
  const gate = [
    ...nameTaken(input, name),
    // After its start, the unit itself reports the wait.
    ...(isThere || !selected || !cluster ? [] : heldByOthers(input, cluster, revision)),
    ...(isTarget && unit && selected ? gateOf(unit, input.seen) : earlier ? gateApart(earlier) : []),
    // What is there stays until something is known.
    ...(isPending && isThere ? [] : blockers),
  ]
  // Neither under a Hold nor while it waits for others.
  const isUpdating =
    isThere &&
    input.heldBy(name) === undefined &&
    !ahead &&
    gate.length === 0 &&
    !(verified && isUnitHealthy(inventory))
  const asks = waitsForPerson(inventory)
  return {
    verified,
    ahead,
    sameContent:
      admitted !== undefined &&
      admitted.bundle === (isTarget ? target.bundle : earlier?.bundle) &&
      isSame(admitted.values),
    // Under a Hold it stays as it is.
    rebinds: isAssigned && input.holdOn(name) === undefined && !isSame(record.values),
    running: isUpdating && !asks,
    waitsForPerson: isUpdating && asks,
    lacks: isThere ? inventory?.status?.blockers?.[0]?.message : undefined,
    failure: isThere ? failureOf(inventory) : undefined,
    gate,
    // Without stages everything has its turn.
    demanded:
      isTarget && !isThere && selected && unit && input.module.spec.rollout.strategy === 'Staged'
        ? isDueInRollbackOrder({ hub: input.hub, fleet: fleetOf(input), seen: input.seen }, unit)
        : false,
  }
}

/** The name that the assemblage of a cluster has to have is that of somebody else's: no module can be assigned there. */
function nameTaken({ hub, ref: { namespace } }: UnitViewsInput, name: string): NewBlocker[] {
  const theirs = hub.foreign?.store.get({ namespace, name })
  if (!theirs) return []
  const by = theirs.metadata.labels?.[MANAGED_BY_LABEL] ?? ''
  const assemblage = { apiVersion: API_VERSION, kind: 'RemoteAssemblage' }
  const on = [{ kind: 'Object', namespace, name, object: assemblage }] as const
  const facts = { owner: by, because: 'AssemblageName', entry: `${by}.${name}` } as const
  return [blocked('OwnedByAnother', on, facts)]
}

/** Objects that others hold there, and insist on. */
const heldByOthers = (
  { hub, ref, seen: { nowMs }, contenders }: FleetViewsInput,
  cluster: ClusterView,
  revision: Digest,
): NewBlocker[] => contenderBlockers({ hub, nowMs }, contenders(revision), ref, cluster)

/** Of a cluster as one unit sees it: it may be another one than the unit was delivered to. */
function conditionOf(
  fleet: FleetReader,
  cluster: ClusterView,
  inventory: Stored<Inventory> | undefined,
): ClusterCondition {
  const found = fleet.condition(cluster)
  const uid = found.state === 'Connected' ? fleet.connection(cluster)?.uid : undefined
  if (!inventory || !isOtherCluster(inventory, uid) || fleet.record(cluster)?.uid === uid) return found
  const blocker = identityChanged(cluster, inventory.spec.clusterUid, uid)
  return { state: 'IdentityChanged', reason: blocker.reason, message: blocker.message, blocker }
}

/** It was admitted beside a dependency that had another release, which only a way back permits. */
function isAhead(
  inventory: Stored<Inventory> | undefined,
  published: PublishedRevision | undefined,
): boolean {
  const { release, evidence = [] } = inventory?.spec.admitted ?? {}
  const edges = moduleEdges(published?.edges ?? []).filter((e) => e.release === 'Same')
  const isOther = (e: (typeof evidence)[number]): boolean =>
    e.release !== undefined && e.release !== release && edges.some((x) => x.id === e.edge)
  return release !== undefined && evidence.some(isOther)
}

function failureOf(inventory: Stored<Inventory> | undefined): string | undefined {
  const status = reportOf(inventory)
  return status?.health === 'Failed' ? (status.blockers?.[0]?.message ?? 'failed') : undefined
}

/** All is done but what a person confirms: no time passes, as in a removal. */
function waitsForPerson(inventory: Stored<Inventory> | undefined): boolean {
  const blockers = reportOf(inventory)?.blockers ?? []
  return blockers.length > 0 && blockers.every((b) => actorOf(b.reason) === 'approver')
}

/** The report of a unit about its present admission. */
function reportOf(inventory: Stored<Inventory> | undefined): InventoryStatus | undefined {
  const admitted = inventory?.spec.admitted
  return admitted && inventory?.status?.admittedSerial === admitted.serial ? inventory.status : undefined
}

/** What the unit's own edges keep it waiting for. */
function gateOf(unit: GatedUnit, seen: Observation): readonly NewBlocker[] {
  const result = gate(unit, seen)
  return result.outcome === 'Closed' ? result.blockers : []
}

/** Units that were deployed with this one as a required dependency: they are removed first (I8). */
const dependantsOn = ({ hub, ref, seen }: UnitViewsInput, cluster: string): NewBlocker[] =>
  requiredDependents(hub, ref, cluster, seen).map((inventory) => {
    const { kind, name: dependant } = inventory.spec.moduleRef
    const { name } = inventory.spec.clusterRef
    const dependent = namedUnit(`${kind}/${dependant}`, name)
    return blocked('DependentsRemain', [dependent], { module: ref.name })
  })

/** Nothing of the module is left but what it was given up on (I7). */
export const hasNoUnits = (units: readonly UnitFacts[]): boolean => units.every((u) => !u.view.present)
