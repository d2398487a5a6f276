/** ClusterResourceSets that Lockstep reconciles: reads sources and clusters, plans, sums up what came of it. */
import { jsonEqual, keyText, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { blocked } from '../../api/blocker.ts'
import {
  type ClusterResourceSet,
  DELETE_FOR_MOVE,
  type Inventory,
  SET,
  SET_FINALIZER,
} from '../../api/kinds/index.ts'
import {
  defaultsOf,
  distinctObjects,
  isUnknownUpstream,
  type ParsedSource,
  type SetSettings,
  setObjectRef,
  settingsOf,
} from '../../decisions/resourceset/index.ts'
import { clusterTurns } from '../../deliver/modes/index.ts'
import type { ClusterView } from '../../fleet/clusters/index.ts'
import {
  isManagedSet,
  isOwnDefinition,
  type ManagedSetPlan,
  type SetClusterState,
  type SetPlans,
  selectsBySet,
  setInventoryOn,
  setRef,
} from '../cache/index.ts'
import {
  always,
  type Controller,
  defineController,
  ensureFinalizer,
  type ObjectKey,
  objectKey,
  on,
  requeueAfter,
  type UnitKey,
  unitKey,
} from '../runtime/index.ts'
import {
  type CompanionRefusal,
  type CompanionResult,
  companionModuleOf,
  reconcileCompanion,
} from './companionmodule.ts'
import { reportUnmanaged } from './deletionstatus.ts'
import { finishDelivery } from './deliveredsources.ts'
import { handBack, isLeftWithUs } from './handback.ts'
import { reconcileSetDeletion } from './setdeletion.ts'
import { type SetDeps, setTarget } from './setdeps.ts'
import { readSetSource, type SetSource, setSourceVersion } from './setsources.ts'
import { observeSetCluster, updateSetStatus } from './setstatus.ts'
import { ensureSourceOwners } from './sourceowners.ts'
import { UpstreamHandshakes } from './upstreamhandshake.ts'
import { setWatches } from './watches.ts'

/** Sources have to stand still for so long before they are applied: people write several objects, one after another. */
const SETTLE_MS = 1000
/** What is under way on a cluster is looked at again after so long. */
const WORKING_MS = 100
/** An Event has room for a few. */
const MOST_WARNINGS = 3

interface SetMemory {
  token: string
  settings: SetSettings | undefined
  settledAt: number
  changedAt: number
  /** Names of the clusters that it selected at the last look. */
  clusters: ReadonlySet<string>
  /** What its units were told to do last, and by which settings: the same until one of them changes. */
  planned: PlannedSet | undefined
  /** That Cluster API does not know its strategy was told. */
  isUnknownTold: boolean
  /** Of which sources warnings were told. */
  warned: string
}

interface PlannedSet {
  readonly settings: SetSettings
  readonly refused: CompanionRefusal | undefined
  readonly parsed: readonly (ParsedSource | undefined)[]
  readonly plan: Omit<ManagedSetPlan, 'turns'>
}

/** `wake`: a unit of the set may have something to do. */
export function setController(d: SetDeps, wake: (unit: UnitKey) => void): SetController {
  const reconciler = new SetReconciler(d, wake)
  const concerns = (set: Stored<ClusterResourceSet>, view: ClusterView) => reconciler.concerns(set, view)
  const controller = defineController({
    name: 'set',
    key: objectKey,
    for: on('sets', always),
    watches: setWatches({ hub: d.hub, fleet: d.fleet, concerns }),
    reconcile: (key) => reconciler.reconcile(key),
  })
  return { controller, concerns }
}

interface SetController {
  readonly controller: Controller<ObjectKey>
  /** Whether a cluster that has changed is the business of a set. */
  readonly concerns: (set: Stored<ClusterResourceSet>, view: ClusterView) => boolean
}

class SetReconciler {
  private readonly c: SetDeps
  private readonly plans: SetPlans
  private readonly wake: (unit: UnitKey) => void
  private readonly memories = new Map<string, SetMemory>()
  private readonly handshakes: UpstreamHandshakes

  constructor(d: SetDeps, wake: (unit: UnitKey) => void) {
    this.c = d
    this.plans = d.plans
    this.wake = wake
    this.handshakes = new UpstreamHandshakes(d)
  }

  /** Whether a cluster that has changed is its business: selected, or at the last look. */
  concerns(set: Stored<ClusterResourceSet>, view: ClusterView): boolean {
    const { namespace = '', name } = set.metadata
    const memory = this.memories.get(keyText({ namespace, name }))
    return !memory || memory.clusters.has(view.name) || selectsBySet(set, view)
  }

  async reconcile(key: ObjectKey): Promise<ReconcileResult> {
    const { namespace, name } = key
    const set = this.c.hub.sets.get({ namespace, name })
    if (!set || !isManagedSet(this.c.hub, set)) {
      this.forget(key, set)
      return set && isLeftWithUs(this.c, set) ? this.giveBack(set) : { ok: true }
    }
    if (set.metadata.deletionTimestamp !== undefined) {
      this.plans.forget(set.metadata.uid)
      return this.leave(set)
    }
    const kept = await ensureFinalizer(setTarget(this.c), set, SET_FINALIZER)
    if (kept) return kept
    const { settings, problems, switches } = settingsOf(set)
    // Before anybody is asked: from now on units stop, also once the pause is back.
    if (!this.handshakes.isHeldOff(set)) this.plans.forget(set.metadata.uid)
    const handshake = await this.handshakes.look(set, switches.assumeInactive)
    if (handshake.type !== 'clear') this.plans.forget(set.metadata.uid)
    if (handshake.type === 'again') return handshake.outcome
    const seen = (set.spec.resources ?? []).map((ref) => readSetSource(this.c, set, ref))
    const clusters = this.clustersOf(set)
    const memory = this.memoryOf(keyText(key), set, seen)
    memory.clusters = new Set(clusters.map((view) => view.name))
    this.tellUnknown(set, memory)
    const settlesInMs = memory.settledAt - this.c.env.clock.steady()
    let looked: SetClusterState[] | undefined
    if (handshake.type === 'clear' && settlesInMs <= 0) {
      const owned = await ensureSourceOwners(this.c, set, seen)
      if (!owned.ok) return owned
      // What was valid last stays in force.
      const valid = settings ?? memory.settings
      memory.settings = valid
      // Of a process before this one its Module tells what was valid.
      if (valid || companionModuleOf(this.c.hub, set)) {
        const kept = await this.deliverBy(set, valid)
        if (kept && kept.refused === undefined) return kept.outcome
        const inForce = valid ?? defaultsOf('Continuous')
        if (isAskedOtherwise(memory, inForce)) memory.changedAt = this.c.env.clock.steady()
        const planned = plannedBy(memory, set, inForce, seen, kept?.refused)
        this.tellWarnings(set, planned, memory)
        looked = this.plan(set, planned, clusters, inForce)
      }
    }
    const plan = this.plans.of(set)
    // After a start: what was said before stays until the sources have stood still.
    if (!plan && handshake.type === 'clear' && settlesInMs > 0 && set.status?.conditions)
      return requeueAfter(settlesInMs)
    const said = await updateSetStatus(this.c, {
      set,
      plan,
      handshake,
      seen,
      problems,
      clusters: looked ?? clusters.map((view) => observeSetCluster(this.c, set, plan, view)),
      isPaused: switches.paused,
      isSettling: settlesInMs > 0,
    })
    const wakes = [
      said.requeueAfterMs,
      handshake.type === 'waits' ? handshake.againInMs : undefined,
      settlesInMs,
    ]
    const soon = wakes.filter((ms): ms is number => ms !== undefined && ms > 0)
    return said.ok && soon.length > 0 ? requeueAfter(Math.min(...soon)) : said
  }

  /** A definition of ours was replaced by Cluster API's: what is stored stays, and counts. */
  private tellUnknown(set: Stored<ClusterResourceSet>, memory: SetMemory): void {
    const isUnknown = isUnknownUpstream(set, isOwnDefinition(this.c.hub))
    if (isUnknown && !memory.isUnknownTold) {
      const on = [setObjectRef(set)] as const
      const { message: text } = blocked('StrategyUnknownUpstream', on, { annotation: SET.mode })
      const reason = 'StrategyUnknownUpstream'
      this.c.events.record(set, [{ type: 'Warning', action: 'Takeover', reason, text, of: SET.mode }])
    }
    memory.isUnknownTold = isUnknown
  }

  /** Once for what the sources say now, and for the mode, which decides what counts. */
  private tellWarnings(
    set: Stored<ClusterResourceSet>,
    { warnings, asked }: Pick<ManagedSetPlan, 'warnings' | 'asked'>,
    memory: SetMemory,
  ): void {
    const warned = `${memory.token} ${asked.mode}`
    if (memory.warned === warned) return
    memory.warned = warned
    const more = warnings.length - MOST_WARNINGS
    const texts = warnings.slice(0, MOST_WARNINGS).map(({ message }) => message)
    const text = [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
    if (text !== '')
      this.c.events.record(set, [
        { type: 'Warning', action: 'Apply', reason: 'DuplicateObject', text, of: warned },
      ])
  }

  /** The Module of a set that is Continuous; of another one it goes, and what it has delivered stays. Undefined: as it should be. */
  private async deliverBy(
    set: Stored<ClusterResourceSet>,
    settings: SetSettings | undefined,
  ): Promise<CompanionResult | undefined> {
    if (!settings || settings.mode === 'Continuous') {
      const kept = await reconcileCompanion(this.c, set, settings)
      return kept.outcome.ok ? undefined : kept
    }
    const left = await finishDelivery(this.c, set)
    if (!left || (left.ok && left.requeueAfterMs === undefined)) return undefined
    return { outcome: left, refused: undefined }
  }

  /** Units work by the new plan from now on: those whose turn it is. */
  private plan(
    set: Stored<ClusterResourceSet>,
    planned: Omit<ManagedSetPlan, 'turns'>,
    clusters: readonly ClusterView[],
    { maxUnavailable }: SetSettings,
  ): SetClusterState[] {
    const before = this.plans.of(set)
    const looked = clusters.map((view) => observeSetCluster(this.c, set, planned, view))
    if (planned.isContinuous) {
      // Who goes first decides its Module.
      const turns = new Set(clusters.map((view) => view.name))
      this.plans.put({ ...planned, turns })
      for (const cluster of turns) {
        const isNew = !before?.isContinuous || !before.turns.has(cluster)
        // A unit whose record is written hears of the set itself; one that was held before that hears of it here alone.
        if (isNew || !setInventoryOn(this.c.hub, set, cluster)) this.wake(unitKey.of(setRef(set), cluster))
      }
      return looked
    }
    const places = looked.map(({ view, isApplied, inventory }) => ({
      cluster: view.name,
      isDone: isApplied,
      isBegun: isBegun(inventory),
      isKnown: inventory !== undefined,
    }))
    const turns = clusterTurns(places, maxUnavailable)
    this.plans.put({ ...planned, turns })
    const isSame = before?.contents === planned.contents
    for (const { cluster, isKnown } of places) {
      // Of what has happened to a unit itself it hears itself; here it hears of another plan, and of its turn.
      const isTold = isSame && isKnown && before.turns.has(cluster)
      if (turns.has(cluster) && !isTold) this.wake(unitKey.of(setRef(set), cluster))
    }
    return looked
  }

  /** Its bindings are written only once Cluster API lets go of it, which deletes it otherwise with its sources. */
  private async leave(set: Stored<ClusterResourceSet>): Promise<ReconcileResult> {
    if (Object.hasOwn(set.metadata.annotations ?? {}, DELETE_FOR_MOVE))
      return reconcileSetDeletion(this.c, set)
    const handshake = await this.handshakes.look(set, settingsOf(set).switches.assumeInactive)
    if (handshake.type === 'clear') return reconcileSetDeletion(this.c, set)
    if (handshake.type === 'again') return handshake.outcome
    const { againInMs, blocker } = handshake
    const said = blocker && (await reportUnmanaged(this.c, set, blocker.reason, blocker.message))
    return said && !said.ok ? said : requeueAfter(againInMs)
  }

  private forget(name: ObjectKey, set: Stored<ClusterResourceSet> | undefined): void {
    this.memories.delete(keyText(name))
    this.c.status.forget('sets', name)
    if (!set) return
    this.plans.forget(set.metadata.uid)
    this.handshakes.forget(set.metadata.uid)
  }

  /** One that is being deleted meanwhile is deleted as one of ours. */
  private async giveBack(set: Stored<ClusterResourceSet>): Promise<ReconcileResult> {
    // A request that was on its way when it was asked for: no other one follows it.
    if (this.plans.isWorking(set.metadata.uid)) return requeueAfter(WORKING_MS)
    return set.metadata.deletionTimestamp === undefined
      ? handBack(this.c, set)
      : reconcileSetDeletion(this.c, set)
  }

  /** Clusters of Cluster API in its namespace. */
  private clustersOf(set: Stored<ClusterResourceSet>): ClusterView[] {
    return this.c.fleet.of(set.metadata.namespace ?? '').filter((view) => selectsBySet(set, view))
  }

  private memoryOf(key: string, set: Stored<ClusterResourceSet>, seen: readonly SetSource[]): SetMemory {
    const now = this.c.env.clock.steady()
    const token = `${set.metadata.uid} ${set.metadata.generation} ${seen.map(setSourceVersion).join(' ')}`
    const known = this.memories.get(key)
    if (known?.token === token) return known
    const { settings, isUnknownTold = false, warned = '' } = known ?? {}
    const { clusters = new Set<string>() } = known ?? {}
    const settles = { settledAt: now + SETTLE_MS, changedAt: now }
    const memory: SetMemory = {
      token,
      settings,
      isUnknownTold,
      warned,
      clusters,
      planned: undefined,
      ...settles,
    }
    this.memories.set(key, memory)
    return memory
  }
}

/** What was refused by other settings is worth another try. */
const isAskedOtherwise = ({ planned }: SetMemory, settings: SetSettings): boolean =>
  planned !== undefined && !jsonEqual(planned.settings, settings)

/** The very same as long as nothing of it has changed: whoever has it has heard of it. */
function plannedBy(
  memory: SetMemory,
  set: Stored<ClusterResourceSet>,
  settings: SetSettings,
  seen: readonly SetSource[],
  refused: CompanionRefusal | undefined,
): PlannedSet['plan'] {
  const parsed = seen.map((s) => (s.state === 'Read' ? s.parsed : undefined))
  const known = memory.planned
  const isSame =
    known?.refused?.message === refused?.message &&
    known?.parsed.every((p, i) => p === parsed[i]) === true &&
    jsonEqual(known.settings, settings)
  if (known && isSame) return known.plan
  const plan = planOf(set, settings, seen, memory.changedAt, refused)
  memory.planned = { settings, refused, parsed, plan }
  return plan
}

function planOf(
  set: Stored<ClusterResourceSet>,
  settings: SetSettings,
  seen: readonly SetSource[],
  changedAt: number,
  refused: CompanionRefusal | undefined,
): Omit<ManagedSetPlan, 'turns'> {
  const { mode, existing, reapply, write, replaceImmutable, intervalMs } = settings
  const read = seen.flatMap((s) => (s.state === 'Read' ? [s] : []))
  const objects = read.map((s) => s.parsed.objects)
  const isContinuous = mode === 'Continuous'
  const { sources, problems, refused: lost, warnings } = distinctObjects(mode, objects)
  // Of a set that is Continuous its Module says what is wrong with all of it.
  const ofModule = refused === undefined ? [] : [refused]
  const refusals = isContinuous ? ofModule : problems
  const isWhole = (i: number): boolean => (isContinuous ? refusals.length === 0 : !lost.has(i))
  return {
    uid: set.metadata.uid,
    isContinuous,
    asked: { mode: mode === 'ApplyOnce' ? mode : 'Reconcile', existing, reapply, write, replaceImmutable },
    intervalMs,
    contents: read.flatMap((s, i) =>
      isWhole(i) ? [{ ref: s.ref, hash: s.parsed.hash, objects: sources[i]! }] : [],
    ),
    refusals,
    changedAt,
    // Of a set that is Continuous its Module says it, and refuses.
    warnings: isContinuous ? [] : warnings,
  }
}

/** Something was tried there, and not all of it has succeeded. */
const isBegun = (inventory: Stored<Inventory> | undefined): boolean =>
  inventory?.status?.state === 'Failed' ||
  inventory?.spec.set?.sources?.some((s) => !s.applied || s.begun) === true
