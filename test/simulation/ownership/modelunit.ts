/**
 * Reconciles of a unit in the ownership model. Decisions and writes are those of the controller of units; here are their order, and
 * what a write of an object comes to.
 */
import { identityOf, type Stored } from '../../../packages/kube/src/object/index.ts'
import type {
  Assignment,
  Inventory,
  InventoryObject,
} from '../../../packages/lockstep/src/api/kinds/index.ts'
import { observationOf } from '../../../packages/lockstep/src/controllers/cache/observation.ts'
import { healthyInventory } from '../../../packages/lockstep/src/controllers/plan/simulatesuccess.ts'
import {
  announceIntents,
  recordCause,
  recordInventory,
} from '../../../packages/lockstep/src/controllers/unit/delivery/recordinventory.ts'
import { dropTakenEntries } from '../../../packages/lockstep/src/controllers/unit/handover/droptakenentries.ts'
import { returnedObjects } from '../../../packages/lockstep/src/controllers/unit/handover/returnedobjects.ts'
import { UnitClaims } from '../../../packages/lockstep/src/controllers/unit/handover/unitclaims.ts'
import {
  isIntentSeen,
  isKindSynced,
  leavingEntries,
  pruneNodes,
  pruneViewOf,
  unrecordedObjects,
} from '../../../packages/lockstep/src/controllers/unit/prunenode.ts'
import { cancelRemoval } from '../../../packages/lockstep/src/controllers/unit/removeunit.ts'
import {
  newNonce,
  revisionOfUnit,
  type UnitScope,
  writeInventory,
} from '../../../packages/lockstep/src/controllers/unit/unitscope.ts'
import { decideAdmission } from '../../../packages/lockstep/src/controllers/unit/unittarget.ts'
import { gate } from '../../../packages/lockstep/src/decisions/gate/gate.ts'
import type { ModuleRef } from '../../../packages/lockstep/src/decisions/graph/moduleref.ts'
import { existedMember } from '../../../packages/lockstep/src/deliver/deletion/existedmember.ts'
import {
  isNothingToPrune,
  type PruneView,
  pruneNext,
} from '../../../packages/lockstep/src/deliver/deletion/prune.ts'
import { isOfForeignUnit } from '../../../packages/lockstep/src/deliver/ownership/foreignunit.ts'
import { unitName } from '../../../packages/lockstep/src/deliver/plan/unitnames.ts'
import { entriesOf } from '../../../packages/lockstep/src/deliver/state/evaluate.ts'
import { admittedSpec } from '../../../packages/lockstep/src/deliver/step/admission.ts'
import {
  type AnnouncedIntent,
  intentWaitMs,
  servedIntents,
} from '../../../packages/lockstep/src/deliver/step/intents.ts'
import { isUnusedInventory } from '../../../packages/lockstep/src/deliver/step/newinventory.ts'
import type { LiveObject } from '../../../packages/lockstep/src/fleet/connection/liveobject.ts'
import { neededBy, refOfPart } from './modelobject.ts'
import { type ModelWorld, NAMESPACE } from './modelworld.ts'

const isDefined = (): boolean => false
/** Steps of one reconcile; more are an error. */
const MOST_STEPS = 100

export class ModelUnit {
  private readonly w: ModelWorld
  private readonly ref: ModuleRef
  private readonly cluster: string
  /** Parts of a revision, those first that others need. */
  private readonly partsOf: (revision: string) => readonly string[]

  constructor(w: ModelWorld, ref: ModuleRef, cluster: string, partsOf: (r: string) => readonly string[]) {
    this.w = w
    this.ref = ref
    this.cluster = cluster
    this.partsOf = partsOf
  }

  /** Until it rests. */
  async reconcile(): Promise<void> {
    for (let i = 0; i < MOST_STEPS; i++) {
      const scope = this.scope()
      if (!scope || !(await this.step(scope))) return
    }
    throw new Error(`${unitName(this.ref)} on ${this.cluster} does not rest`)
  }

  private scope(): UnitScope | undefined {
    const { w, ref, cluster } = this
    const inventory = w.copy.unit(ref, cluster)
    if (!inventory) return undefined
    return {
      ref,
      cluster: w.cluster(cluster).view,
      session: w.session(cluster),
      record: w.copy.assignment(ref, cluster),
      inventory,
      memory: w.memoryOf(inventory),
      label: unitName(ref),
    }
  }

  /** False: nothing to do. */
  private async step(scope: UnitScope): Promise<boolean> {
    const { deps } = this.w
    const { inventory, memory, record } = scope
    if (!record && isUnusedInventory(inventory)) return (await this.w.dropInventory(inventory)).ok
    for (const id of returnedObjects(scope)) memory.gone.delete(id)
    if (record?.removal) return this.remove(scope, record.removal)
    if (record && (await cancelRemoval(deps, scope))) return true
    if (record && (await this.admit(scope, record))) return true
    if (inventory.spec.admitted) return this.deliver(scope, inventory.spec.admitted.revision)
    return (await dropTakenEntries(deps, scope)) !== undefined
  }

  private async admit(scope: UnitScope, record: Assignment): Promise<boolean> {
    const { deps } = this.w
    const decided = decideAdmission(deps, this.ref, this.cluster)
    if (decided.type !== 'Open') return false
    const found = gate(decided.target, observationOf(deps, NAMESPACE))
    if (found.outcome === 'Closed') return false
    const { inventory } = scope
    const spec = admittedSpec({
      spec: inventory.spec,
      record,
      gateDigest: found.gateDigest,
      evidence: found.evidence,
      creates: [],
      changes: new Set(),
      nonce: () => newNonce(deps, scope),
      isDelivered: inventory.status?.revision !== undefined,
      isOlder: false,
      hasDeleteHooks: false,
    })
    return (await writeInventory(deps, inventory, spec)).ok
  }

  private async deliver(scope: UnitScope, revision: string): Promise<boolean> {
    const { deps } = this.w
    const wanted = new Map(this.partsOf(revision).map((p) => [identityOf(refOfPart(p)), p]))
    const entries = entriesOf({ ...scope, announced: unrecordedObjects(scope) })
    const leftovers = [...entries.values()].filter((o) => !wanted.has(identityOf(o)))
    const claims = new UnitClaims(deps, scope, false)
    const held = [...wanted.keys()].flatMap((id) => this.foreign(scope, id) ?? [])
    await claims.open(leavingEntries(scope, leftovers, isDefined), held)
    const { ready, todo, waits } = this.writes(scope, claims, wanted, entries)
    const unannounced = todo.flatMap((part) => this.announcement(scope, part) ?? [])
    const isDue = ready.some((part) => this.announcement(scope, part) !== undefined)
    if (isDue) return (await announceIntents(deps, scope, unannounced)) === undefined
    if (ready.length > 0) {
      const done = await Promise.all(ready.map((part) => this.apply(scope, part, entries)))
      return done.includes(true)
    }
    const isSynced = todo.length + waits.length === 0
    const prune =
      isSynced && leftovers.length > 0 ? this.pruneView(scope, leftovers, 'Prune', claims) : undefined
    const next = prune && pruneNext(prune)
    const hasCause = scope.inventory.spec.causes?.some((c) => c.cause === 'RemovedFromBundle') === true
    if (next && next.remove.length + next.handOver.length > 0 && !hasCause)
      return (await recordCause(deps, scope)) === undefined
    if (next && !isNothingToPrune(next)) return this.prune(scope, next)
    const isDone = isSynced && (prune?.entries.length ?? 0) === 0
    return (await this.record(scope, wanted, isDone)) || this.report(scope, isDone)
  }

  /** Parts to write now (`ready`) or later, and those that wait for another unit or for their kind. */
  private writes(
    scope: UnitScope,
    claims: UnitClaims,
    wanted: ReadonlyMap<string, string>,
    entries: ReadonlyMap<string, InventoryObject>,
  ): Record<'ready' | 'todo' | 'waits', string[]> {
    const found = { ready: [] as string[], todo: [] as string[], waits: [] as string[] }
    const isOpen = (part: string): boolean => found.todo.includes(part) || found.waits.includes(part)
    const isThere = (part: string): boolean => this.live(identityOf(refOfPart(part))) !== undefined
    for (const [id, part] of wanted) {
      const ref = refOfPart(part)
      const live = this.live(id)
      const decision = this.foreign(scope, id) && claims.holderDecision(ref, live!)
      const entry = entries.get(id)
      const isApplied = live !== undefined && entry?.uid === live.uid && entry.content !== ''
      if (decision === 'Yield' || decision === 'HandedOver' || (decision === undefined && isApplied)) continue
      if (decision === 'Wait' || !scope.session.served(ref.group, ref.kind)) found.waits.push(part)
      else {
        const isReady = neededBy(part).every((p) => isThere(p) && !isOpen(p))
        found.todo.push(part)
        if (isReady) found.ready.push(part)
      }
    }
    return found
  }

  /** On the cluster, whether it has marks or not. */
  private live(id: string): LiveObject | undefined {
    return this.w.cluster(this.cluster).objects.get(id)
  }

  private foreign({ inventory }: UnitScope, id: string): LiveObject | undefined {
    const live = this.live(id)
    return live && isOfForeignUnit(live, inventory.metadata.uid) ? live : undefined
  }

  /** Undefined: it is announced, or needs no announcement. */
  private announcement(scope: UnitScope, part: string): AnnouncedIntent | undefined {
    const ref = refOfPart(part)
    const id = identityOf(ref)
    const intent = scope.inventory.spec.intents?.find((i) => identityOf(i) === id)
    const holder = this.foreign(scope, id)
    const takes = holder && { uid: holder.uid, from: holder.unit ?? '' }
    // The caches have objects with marks only.
    const isThere = this.live(id)?.unit !== undefined
    const isAnnounced = takes ? intent?.takes?.uid === takes.uid : isThere || intent !== undefined
    return isAnnounced ? undefined : { d: { id, ref }, replaces: undefined, takes }
  }

  /** Returns whether the object was written. */
  private async apply(
    scope: UnitScope,
    part: string,
    entries: ReadonlyMap<string, InventoryObject>,
  ): Promise<boolean> {
    const { inventory, memory, label } = scope
    const id = identityOf(refOfPart(part))
    const { group, kind, namespace, name } = refOfPart(part)
    const seen = this.live(id)
    if (seen?.unit === undefined) memory.attempted.set(id, this.w.steadyMs)
    const intent = inventory.spec.intents?.find((i) => identityOf(i) === id)
    // The nonce shows that Lockstep created the object.
    const nonce = !seen || seen.nonce === intent?.nonce ? intent?.nonce : undefined
    const marks = { unit: label, inventory: inventory.metadata.uid, nonce }
    const done = await this.w.apply(this.cluster, part, marks, seen)
    if (!done.ok) return false
    const { uid } = done.value
    const known = entries.get(id)
    const existed =
      intent?.takes?.uid === uid
        ? intent.takes.existed
        : known?.uid === uid
          ? known.existed
          : seen !== undefined
    memory.lastWriteAt = this.w.steadyMs
    memory.gone.delete(id)
    memory.applied.set(id, {
      group,
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      version: 'v1',
      uid,
      content: 'applied',
      fields: '',
      level: 0,
      ...existedMember({ group, kind }, existed),
    })
    return true
  }

  private pruneView(
    scope: UnitScope,
    entries: readonly InventoryObject[],
    leave: 'Prune' | 'Delete',
    claims: UnitClaims,
  ): PruneView {
    const revision = scope.inventory.spec.admitted?.revision
    const namespaces = revision && revisionOfUnit(this.w.deps, this.ref, revision)?.spec.apply.namespaces
    const grounds = { leave, isDefined, dialects: undefined, claims, ...(namespaces ? { namespaces } : {}) }
    return pruneViewOf(this.w.deps, scope, entries, grounds)
  }

  /** Returns whether a step was done. */
  private async prune(scope: UnitScope, next: ReturnType<typeof pruneNext>): Promise<boolean> {
    const before = this.w.changes
    await pruneNodes(this.w.deps, scope, next)
    return this.w.changes > before || next.release.length > 0
  }

  /** Returns whether applied and deleted objects were recorded. */
  private async record(
    scope: UnitScope,
    wanted: ReadonlyMap<string, string>,
    isDone: boolean,
  ): Promise<boolean> {
    const { inventory, memory } = scope
    const isSeen = (intent: Parameters<typeof isIntentSeen>[1]): boolean => isIntentSeen(scope, intent)
    const input = {
      inventory,
      memory,
      announced: unrecordedObjects(scope),
      desired: { byId: new Map([...wanted.keys()].map((id) => [id, -1])), objects: [] },
      marked: new Set<string>(),
      steady: this.w.steadyMs,
      isSeen,
    }
    const served = servedIntents(inventory.spec.intents ?? [], entriesOf(input), memory, input.steady, isSeen)
    const isUnrecorded = memory.applied.size + memory.gone.size + served.length > 0
    const isLate = this.w.steadyMs - memory.lastWriteAt >= 10_000
    if (!isUnrecorded || !(isDone || isLate)) return false
    return (await recordInventory(this.w.deps, scope, input as never)) === undefined
  }

  /** A status: no other unit goes by it in between. */
  private report({ inventory }: UnitScope, isDone: boolean): boolean {
    const next = isDone ? healthyInventory(inventory) : waitingInventory(inventory)
    const { status } = inventory
    const isSame =
      status?.health === next.status?.health &&
      status?.admittedSerial === next.status?.admittedSerial &&
      status?.verifiedGateDigest === next.status?.verifiedGateDigest
    if (!isSame) this.w.putInventory(next)
    return false
  }

  private async remove(scope: UnitScope, { cause }: NonNullable<Assignment['removal']>): Promise<boolean> {
    const { deps } = this.w
    const { inventory, record } = scope
    const { causes = [] } = inventory.spec
    if (!causes.some((c) => c.cause === cause && (c.begun || cause !== 'Relabelled'))) {
      const others = causes.filter((c) => c.cause !== cause)
      const begun = causes.length > others.length ? { begun: true } : {}
      const next = [...others, { cause, uid: record!.uid, ...begun }]
      return (await writeInventory(deps, inventory, { ...inventory.spec, causes: next })).ok
    }
    const entries = [...entriesOf({ ...scope, announced: unrecordedObjects(scope) }).values()]
    if (entries.length === 0) return !this.isInFlight(scope) && (await this.w.dropInventory(inventory)).ok
    const claims = new UnitClaims(deps, scope, true)
    await claims.open(leavingEntries(scope, entries, isDefined), [])
    const next = pruneNext(this.pruneView(scope, entries, 'Delete', claims))
    return !isNothingToPrune(next) && this.prune(scope, next)
  }

  /** A request of an earlier process may still create an object. */
  private isInFlight(scope: UnitScope): boolean {
    const { intents = [] } = scope.inventory.spec
    const { memory } = scope
    const { steadyMs } = this.w
    const sees = (i: Parameters<typeof isKindSynced>[1]): boolean => isKindSynced(scope, i)
    const served = servedIntents(intents, new Map(), memory, steadyMs, sees)
    const open = intents.filter((i) => !served.includes(i))
    return intentWaitMs(open, memory, steadyMs, sees) !== undefined
  }
}

function waitingInventory(inventory: Stored<Inventory>): Stored<Inventory> {
  const { status } = healthyInventory(inventory)
  const { verifiedGateDigest: _, ...rest } = status!
  return { ...inventory, status: { ...rest, health: 'Progressing', state: 'Deploying' } }
}
