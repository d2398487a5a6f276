/** Claims of other units to objects of one unit: its deletes and takeovers ask them. */
import { identityOf, type ObjectReference } from '@lockstep/kube/object'
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { InventoryObject } from '../../../api/kinds/index.ts'
import { type ModuleRef, moduleId, moduleWaitRef, unitRef } from '../../../decisions/graph/index.ts'
import { definedKind } from '../../../decisions/order/index.ts'
import type { ClaimedObject, ClaimFate, HolderDecision } from '../../../decisions/ownership/index.ts'
import { isContainer, type PruneEntry, type PruneFate, takesAlong } from '../../../deliver/deletion/index.ts'
import type { OtherUnits, OwnerMarks } from '../../../deliver/ownership/index.ts'
import { parseUnitName, refOfInventory, unitName } from '../../../deliver/plan/index.ts'
import { objectWaitRef } from '../../../deliver/state/index.ts'
import { SET_KIND, selectsBySet } from '../../cache/index.ts'
import {
  type ClaimAsker,
  type ClusterClaims,
  type ClusterClaimsDeps,
  claimsCluster,
  openClusterClaims,
} from '../../claims/index.ts'
import type { UnitDeps, UnitScope } from '../unitscope.ts'

/** Spec and inputs of a Module are published this soon, without an event of the unit. */
const CLAIMS_RETRY_MS = 1000

/** An entry that a unit would delete, and the object as it is. */
type LeavingEntry = Pick<PruneEntry, 'entry' | 'live'>

export type LeavingFate =
  | PruneFate
  /** Another revision of the unit has it, or the unit itself has objects in it or of its kind (`isUsed`). */
  | { readonly type: 'Stay'; readonly isUsed: boolean }
  /** A Module of another hub namespace has it: a person decides. */
  | { readonly type: 'Confirm'; readonly foreign: string }

export interface UnitClaimsDeps extends Omit<ClusterClaimsDeps, 'claims'> {
  readonly content: Pick<UnitDeps['content'], 'claims'>
}

/** The unit that asks. */
export interface ClaimingScope extends Pick<UnitScope, 'ref' | 'cluster'> {
  /** Undefined: the unit has no objects yet. */
  readonly inventory: UnitScope['inventory'] | undefined
  readonly session: ClaimAsker['session']
}

/** Claims during one reconcile of a unit. */
export class UnitClaims implements OtherUnits {
  private readonly c: UnitClaimsDeps
  private readonly scope: ClaimingScope
  private readonly isLeaving: boolean
  private opened: ClusterClaims | undefined
  private leaving: readonly LeavingEntry[] = []
  private known: { readonly deletes: readonly ClaimedObject[]; readonly holders: readonly ModuleRef[] } = {
    deletes: [],
    holders: [],
  }

  constructor(c: UnitClaimsDeps, scope: ClaimingScope, isLeaving: boolean) {
    this.c = c
    this.scope = scope
    this.isLeaving = isLeaving
  }

  /** Before the answers are asked for. `held`: marks of objects of the bundle that other units hold. */
  async open(leaving: readonly LeavingEntry[], held: readonly OwnerMarks[]): Promise<void> {
    const holders = held.flatMap((marks) => this.holderOf(marks) ?? [])
    this.leaving = leaving
    this.known = { deletes: leaving.map(claimedOf), holders }
    if (leaving.length + holders.length > 0) await this.read()
  }

  private async read(): Promise<void> {
    const { c, isLeaving, scope } = this
    const { hub, fleet, env, content } = c
    const asker = { ref: scope.ref, cluster: scope.cluster, session: scope.session, isLeaving }
    const recorded = { hub, fleet: hub.recorded?.(fleet) ?? fleet, env, claims: content.claims }
    this.opened = await openClusterClaims(recorded, asker, this.known)
  }

  /** A write that finds an object of another unit which the caches did not show. */
  async decideLate(ref: ObjectReference, marks: OwnerMarks): Promise<HolderDecision> {
    const holder = this.holderOf(marks)
    if (holder && !this.known.holders.some((known) => moduleId(known) === moduleId(holder))) {
      this.known = { ...this.known, holders: [...this.known.holders, holder] }
      await this.read()
    }
    return this.holderDecision(ref, marks)
  }

  holderDecision(ref: ObjectReference, marks: OwnerMarks): HolderDecision {
    const holder = this.holderOf(marks)
    // No object changes hands between hub namespaces, or comes from an unknown unit.
    if (!holder || holder.namespace !== this.scope.ref.namespace) return 'Wait'
    if (this.isUnknown(holder, marks))
      return this.opened?.takesFrom(ref, holder, this.hasLeft(holder)) ? 'Take' : 'Wait'
    return this.opened?.holderDecision(ref, holder) ?? 'Wait'
  }

  /** The unit that an object names. */
  private holderOf({ unit, inventory }: OwnerMarks): ModuleRef | undefined {
    const named = unit === undefined ? undefined : parseUnitName(unit)
    if (named) return named
    const { ref, cluster } = this.scope
    for (const i of this.c.hub.inventories.store.by('cluster', `${ref.namespace}/${cluster.name}`))
      if (i.metadata.uid === inventory || (unit !== undefined && unitName(refOfInventory(i)) === unit))
        return refOfInventory(i)
    return undefined
  }

  /** Its Module and its Inventory are not on this hub; or it is the unit of a ClusterResourceSet. */
  private isUnknown(holder: ModuleRef, { inventory }: OwnerMarks): boolean {
    const { hub } = this.c
    if (holder.kind === SET_KIND) return true
    const known = hub.unit(holder, this.scope.cluster.name)
    return known?.metadata.uid !== inventory && hub.module(holder) === undefined
  }

  /** Objects of a ClusterResourceSet that was deleted, or no longer selects the cluster, stay there with its marks. */
  private hasLeft(holder: ModuleRef): boolean {
    if (holder.kind !== SET_KIND) return false
    const { hub } = this.c
    const { cluster } = this.scope
    const { namespace, name } = holder
    const set = hub.sets.get({ namespace, name })
    return set === undefined ? hub.unit(holder, cluster.name) === undefined : !selectsBySet(set, cluster)
  }

  keeperOf(ref: ObjectReference): string | undefined {
    const fate = this.opened?.fateOf({ ref, contents: undefined })
    return fate?.type === 'HandOver' || fate?.type === 'Orphan' ? unitText(fateUnit(fate)) : undefined
  }

  /** Fate of an entry; undefined: it is deleted. */
  fateOf(leaving: LeavingEntry): LeavingFate | undefined {
    const claimed = claimedOf(leaving)
    const moved = this.movedTo(leaving)
    if (moved) {
      const inherited = this.opened?.isKeptBy(claimed.ref, moved) === false
      return { type: 'HandOver', to: moved, inherited, isMoved: true }
    }
    const fate = this.opened?.fateOf(claimed) ?? { type: 'Delete' }
    // Its deletion would delete what the unit delivers. Another unit that has it gets it; one that uses it, too, does not.
    const isUsed = !this.isLeaving && this.opened?.usesItself(claimed) === true
    const isOfAnother = fate.type === 'Orphan' || (fate.type === 'HandOver' && !fate.inherited)
    if (isUsed && !isOfAnother) return { type: 'Stay', isUsed }
    switch (fate.type) {
      case 'HandOver':
        return { type: 'HandOver', to: fate.to, inherited: fate.inherited, isMoved: false }
      case 'Orphan':
        return { type: 'Orphan' }
      case 'Wait':
        return this.waitOf(leaving, fate)
      case 'Stay':
        return { type: 'Stay', isUsed: false }
      case 'Delete':
        return this.inUse(leaving)
    }
  }

  /** Its marks were changed, and the process died before the Inventory of the receiver had it. */
  private movedTo({ entry, live }: LeavingEntry): ModuleRef | undefined {
    const { inventory, ref, cluster } = this.scope
    if (typeof live !== 'object' || live.uid !== entry.uid || live.inventory === inventory?.metadata.uid)
      return undefined
    const receiver = live.unit === undefined ? undefined : parseUnitName(live.unit)
    if (receiver?.namespace !== ref.namespace) return undefined
    const spec = this.c.hub.unit(receiver, cluster.name)
    if (!spec || spec.metadata.uid !== live.inventory) return undefined
    const isListed = spec.spec.objects?.some((o) => o.uid === live.uid) === true
    // A deployed unit finds it by its intent.
    const isFound =
      spec.spec.admitted !== undefined &&
      spec.spec.intents?.some((i) => identityOf(i) === identityOf(entry)) === true
    return isListed || isFound ? undefined : receiver
  }

  private waitOf({ entry }: LeavingEntry, fate: Extract<ClaimFate, { type: 'Wait' }>): LeavingFate {
    const { cluster } = this.scope
    const on = objectWaitRef(entry, cluster.name)
    const module = moduleWaitRef({ to: fate.of, set: undefined })
    const wait = (blocker: NewBlocker, retryInMs?: number): PruneFate => ({
      type: 'Wait',
      blocker,
      retryInMs,
    })
    const { because, detail } = fate
    switch (because) {
      case 'ForeignClaim':
        return { type: 'Confirm', foreign: unitText(fate.of) }
      case 'ForeignUse':
        return wait(inUseBlocker(entry, fate.of, cluster.name, unitText(fate.of)))
      default:
        return wait(
          blocked('WaitingForClaims', [on, module], { because, module: fate.of.name, detail }),
          CLAIMS_RETRY_MS,
        )
    }
  }

  /**
   * Objects of a unit that is removed, or is moving to a revision without them: the deletion would delete them, too. A unit
   * that is removed gets the container and deletes it last: it may wait until this unit is gone.
   */
  private inUse(leaving: LeavingEntry): PruneFate | undefined {
    if (!isContainer(leaving.entry)) return undefined
    const { ref, cluster, inventory } = this.scope
    const { hub } = this.c
    for (const other of hub.inventories.store.by('cluster', `${ref.namespace}/${cluster.name}`)) {
      if (other.metadata.uid === inventory?.metadata.uid) continue
      const { objects = [], hooks = [] } = other.spec
      if (![...objects, ...hooks].some((o) => takesAlong(leaving, o))) continue
      const user = refOfInventory(other)
      const isLeft = user.owner === undefined && !claimsCluster(hub.module(user), cluster)
      if (isLeft && !this.hasObjectsIn(leaving))
        return { type: 'HandOver', to: user, inherited: true, isMoved: false }
      const blocker = inUseBlocker(leaving.entry, user, cluster.name, `${user.kind} ${user.name}`)
      return { type: 'Wait', blocker, retryInMs: undefined }
    }
    return undefined
  }

  /** The unit itself has yet to delete objects in a Namespace, or of a kind. */
  private hasObjectsIn(leaving: LeavingEntry): boolean {
    const { inventory } = this.scope
    const { hooks = [] } = inventory?.spec ?? {}
    const isOwn = ({ live }: LeavingEntry): boolean =>
      live !== 'gone' && (typeof live !== 'object' || live.inventory === inventory?.metadata.uid)
    const entries = this.leaving.filter(isOwn).map(({ entry }) => entry)
    return [...entries, ...hooks].some((o) => takesAlong(leaving, o))
  }
}

const fateUnit = (fate: Extract<ClaimFate, { type: 'HandOver' | 'Orphan' }>): ModuleRef =>
  fate.type === 'HandOver' ? fate.to : fate.for

const unitText = ({ kind, namespace, name }: ModuleRef): string => `${kind} ${namespace}/${name}`

const inUseBlocker = (entry: InventoryObject, to: ModuleRef, cluster: string, user: string): NewBlocker =>
  blocked(
    entry.kind === 'Namespace' ? 'NamespaceInUse' : 'KindInUse',
    [objectWaitRef(entry, cluster), unitRef({ to, set: undefined }, cluster)],
    { user },
  )

function claimedOf({ entry, live }: LeavingEntry): ClaimedObject {
  const { group, kind, namespace, name } = entry
  const ref = { group, kind, ...(namespace === undefined ? {} : { namespace }), name }
  if (!isContainer(entry)) return { ref, contents: undefined }
  if (kind === 'Namespace') return { ref, contents: { namespace: name } }
  const defined = typeof live === 'object' ? definedKind(live.object) : undefined
  return { ref, contents: defined === undefined ? undefined : { kind: defined } }
}
