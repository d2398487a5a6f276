/** ClusterResourceSets that Lockstep reconciles: reads sources and clusters, plans, sums up what came of it. */
import type { Stored } from '../../api/kind.ts'
import { type ClusterResourceSet, resourceSetKinds, SET, SET_FINALIZER } from '../../api/kinds/resourceset.ts'
import { MANAGER } from '../../api/labels.ts'
import type { Inventory } from '../../api/registry.ts'
import { distinct } from '../../core/resourceset/duplicates.ts'
import { type SetSettings, type SettingProblem, settingsOf } from '../../core/resourceset/settings.ts'
import { turnsOf } from '../../deliver/sets/turns.ts'
import type { ClusterView } from '../../fleet/cluster.ts'
import type { Item, Outcome } from '../../kube/queue.ts'
import { keyOf, matchesSelector } from '../../object/object.ts'
import type { Context } from '../context.ts'
import { failedWrite } from '../failedwrite.ts'
import { leaveSet } from './deletion.ts'
import { handBack, isLeftWithUs } from './handback.ts'
import { Handshakes } from './handshake.ts'
import { keepOwners } from './owners.ts'
import type { SetPlan } from './plan.ts'
import { isManaged, type SetPlans } from './plans.ts'
import { emptySaid, type Said, saySet, seenOn } from './setstatus.ts'
import { type SetSources, type SourceSeen, seenVersion } from './sources.ts'

export const SET_CONTROLLER = 'set'

/** Sources have to stand still for so long before they are applied: people write several objects, one after another. */
const SETTLE_MS = 1000
/** What is under way on a cluster is looked at again after so long. */
const WORKING_MS = 100

interface Memory {
  token: string
  settings: SetSettings | undefined
  settledAt: number
  changedAt: number
  readonly said: Said
}

export interface SetWork {
  /** Units of the set that may have something to do. */
  unit(namespace: string, name: string, cluster: string): void
}

export class SetController {
  private readonly c: Context
  private readonly plans: SetPlans
  private readonly sources: SetSources
  private readonly work: SetWork
  private readonly memories = new Map<string, Memory>()
  private readonly handshakes: Handshakes

  constructor(c: Context, plans: SetPlans, sources: SetSources, work: SetWork) {
    this.c = c
    this.plans = plans
    this.sources = sources
    this.work = work
    this.handshakes = new Handshakes(c)
  }

  item(namespace: string, name: string): Item {
    return { controller: SET_CONTROLLER, cluster: 'hub', key: `${namespace}/${name}` }
  }

  async reconcile(item: Item): Promise<Outcome> {
    const [namespace, name] = item.key.split('/') as [string, string]
    const set = this.c.hub.sets.get({ namespace, name })
    if (!set || !isManaged(this.c.hub, set)) {
      this.forget(item.key, set)
      return set && isLeftWithUs(this.c, set) ? this.giveBack(set) : { ok: true }
    }
    if (set.metadata.deletionTimestamp !== undefined) {
      this.plans.forget(set.metadata.uid)
      return leaveSet(this.c, set, this.sources)
    }
    if (!set.metadata.finalizers?.includes(SET_FINALIZER)) return this.addFinalizer(set)
    const { settings, problems, switches } = settingsOf(set)
    // Before anybody is asked: from now on units stop, also once the pause is back.
    if (!this.handshakes.isHeldOff(set)) this.plans.forget(set.metadata.uid)
    const handshake = await this.handshakes.look(set, switches.assumeInactive)
    if (handshake.type !== 'clear') this.plans.forget(set.metadata.uid)
    if (handshake.type === 'again') return handshake.outcome
    const seen = (set.spec.resources ?? []).map((ref) => this.sources.see(namespace, ref))
    const clusters = this.clustersOf(set)
    const memory = this.memoryOf(item.key, set, seen)
    const settlesInMs = memory.settledAt - this.c.env.clock.steady()
    if (handshake.type === 'clear' && settlesInMs <= 0) {
      const owned = await keepOwners(this.c, set, seen)
      if (!owned.ok) return owned
      // What was valid last stays in force.
      const valid = settings ?? memory.settings
      memory.settings = valid
      if (valid) this.plan(set, planOf(set, valid, seen, memory.changedAt), clusters, valid)
    }
    const plan = this.plans.of(set)
    const said = await saySet(this.c, memory.said, {
      ...{ set, plan, handshake, seen },
      problems: [...problems, ...unservedOf(settings)],
      clusters: clusters.map((view) => seenOn(this.c, set, plan, view)),
      isPaused: switches.paused,
    })
    const wakes = [said.afterMs, handshake.type === 'waits' ? handshake.againInMs : undefined, settlesInMs]
    const soon = wakes.filter((ms): ms is number => ms !== undefined && ms > 0)
    return said.ok && soon.length > 0 ? { ok: true, afterMs: Math.min(...soon) } : said
  }

  /** Units work by the new plan from now on: those whose turn it is. */
  private plan(
    set: Stored<ClusterResourceSet>,
    planned: Omit<SetPlan, 'turns'>,
    clusters: readonly ClusterView[],
    { maxUnavailable }: SetSettings,
  ): void {
    const places = clusters.map((view) => {
      const { isApplied, inventory } = seenOn(this.c, set, planned, view)
      return { cluster: view.name, isDone: isApplied, isBegun: isBegun(inventory) }
    })
    const turns = turnsOf(places, maxUnavailable)
    this.plans.put({ ...planned, turns })
    const { namespace = '', name } = set.metadata
    for (const cluster of turns) this.work.unit(namespace, name, cluster)
  }

  private forget(key: string, set: Stored<ClusterResourceSet> | undefined): void {
    this.memories.delete(key)
    if (!set) return
    this.plans.forget(set.metadata.uid)
    this.handshakes.forget(set.metadata.uid)
  }

  /** One that is being deleted meanwhile is deleted as one of ours. */
  private async giveBack(set: Stored<ClusterResourceSet>): Promise<Outcome> {
    // A request that was on its way when it was asked for: no other one follows it.
    if (this.plans.isWorking(set.metadata.uid)) return { ok: true, afterMs: WORKING_MS }
    return set.metadata.deletionTimestamp === undefined
      ? handBack(this.c, set)
      : leaveSet(this.c, set, this.sources)
  }

  private async addFinalizer(set: Stored<ClusterResourceSet>): Promise<Outcome> {
    const { uid, resourceVersion, finalizers = [] } = set.metadata
    const done = await this.c.hub.client.patch(
      this.c.hub.sets.kind ?? resourceSetKinds[0]!,
      keyOf(set),
      { metadata: { finalizers: [...finalizers, SET_FINALIZER] } },
      { why: 'status', manager: MANAGER, fence: { uid, resourceVersion } },
    )
    if (!done.ok) return failedWrite(this.c, done.error)
    this.c.hub.sets.wrote(done.value)
    return { ok: true }
  }

  /** Clusters of Cluster API in its namespace; one that is deleted gets nothing any more. */
  private clustersOf({ metadata: { namespace = '' }, spec }: Stored<ClusterResourceSet>): ClusterView[] {
    if (isEmpty(spec.clusterSelector)) return []
    return this.c.fleet
      .of(namespace)
      .filter(
        (v) => v.kind === 'ClusterAPI' && !v.deleting && matchesSelector(spec.clusterSelector, v.labels),
      )
  }

  private memoryOf(key: string, set: Stored<ClusterResourceSet>, seen: readonly SourceSeen[]): Memory {
    const now = this.c.env.clock.steady()
    const token = `${set.metadata.uid} ${set.metadata.generation} ${seen.map(seenVersion).join(' ')}`
    const known = this.memories.get(key)
    if (known?.token === token) return known
    const { settings, said = emptySaid() } = known ?? {}
    const memory: Memory = { token, settings, said, settledAt: now + SETTLE_MS, changedAt: now }
    this.memories.set(key, memory)
    return memory
  }
}

/** It matches nothing, as to Cluster API, though to others it matches everything. */
const isEmpty = ({ matchLabels, matchExpressions }: ClusterResourceSet['spec']['clusterSelector']): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0

function planOf(
  set: Stored<ClusterResourceSet>,
  settings: SetSettings,
  seen: readonly SourceSeen[],
  changedAt: number,
): Omit<SetPlan, 'turns'> {
  const { mode, existing, reapply, write, replaceImmutable, intervalMs } = settings
  const read = seen.flatMap((s) => (s.state === 'Read' ? [s] : []))
  const objects = read.map((s) => s.parsed.objects)
  const { sources, problems: refusals } = distinct(mode, objects)
  const isRefused = refusals.length > 0 || mode === 'Continuous'
  return {
    uid: set.metadata.uid,
    asked: { mode: mode === 'ApplyOnce' ? mode : 'Reconcile', existing, reapply, write, replaceImmutable },
    intervalMs,
    contents: isRefused
      ? []
      : read.map((s, i) => ({ ref: s.ref, hash: s.parsed.hash, objects: sources[i]! })),
    refusals,
    changedAt,
  }
}

/** Something was tried there, and not all of it has succeeded. */
const isBegun = (inventory: Stored<Inventory> | undefined): boolean =>
  inventory?.status?.state === 'Failed' || inventory?.spec.set?.sources?.some((s) => !s.applied) === true

/** What is asked for and this version does not do: said, and nothing is done in its place. */
const unservedOf = (settings: SetSettings | undefined): SettingProblem[] =>
  settings?.mode === 'Continuous'
    ? [
        {
          annotation: SET.mode,
          message: `${SET.mode}: this version does not deliver Continuous; write ApplyOnce or Reconcile`,
        },
      ]
    : []
