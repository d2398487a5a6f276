/**
 * What a fleet would do if everything succeeded at once: the controllers' own decisions, again and again, on a copy whose
 * clock moves only when nobody can do anything. Reads nothing, writes nothing, and with equal input says the same.
 */

import type { Calendar } from '@lockstep/kube/env'
import { type Digest, type Stored, short10 } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import { type Approval, approvalKind } from '../../api/kinds/index.ts'
import { type ModuleRef, moduleEdges, moduleId, moduleText } from '../../decisions/graph/index.ts'
import type { ScheduleOutput, StartKind } from '../../decisions/rollout/index.ts'
import { moduleRefOf } from '../../deliver/plan/index.ts'
import { findRevisionRecord, observationOf, type RevisionRecord } from '../cache/index.ts'
import { emptyRollout, type SchedulerDeps, type UnitFacts } from '../module/index.ts'
import { FleetCopy, type FleetObjects } from './fleetcopy.ts'
import { budgetsOf, type RollForwardInput, rollForward } from './rollforward.ts'
import { healthyInventory, simulateSuccess } from './simulatesuccess.ts'

export interface FleetPlanInput extends FleetObjects {
  /** What modules would publish, by `moduleId`: revisions of the history. Of others what they have published counts. */
  readonly publishes: ReadonlyMap<string, Digest>
  readonly nowMs: number
  readonly calendar: Calendar
  readonly maxRemoval: number | string
}

/** Clusters of one module that start together. */
export interface PlannedStart {
  /** Counts the moments at which something starts, from 1. */
  readonly step: number
  /** Milliseconds from now, of which everything but waiting takes none. */
  readonly afterMs: number
  readonly module: ModuleRef
  readonly kind: StartKind
  readonly stage: string
  readonly clusters: readonly string[]
}

/** The consent of a person that is taken for granted. */
export interface PlannedApproval {
  readonly module: ModuleRef
  readonly stage: string
  readonly point: 'Before' | 'After'
  /** After which step it is waited for. */
  readonly step: number
}

/** A DisruptionBudget, and the most of its clusters that are disrupted at once. */
export interface PlannedBudget {
  readonly name: string
  readonly max: number
  readonly clusters: number
  readonly widest: number
}

/** Where a module is when nothing goes on any more. */
export interface ModulePlan {
  readonly ref: ModuleRef
  readonly module: Stored<FleetModule>
  /** What was published before, and what would be. */
  readonly before: RevisionRecord | undefined
  readonly current: RevisionRecord | undefined
  readonly units: readonly UnitFacts[]
  readonly end: ScheduleOutput
  /** Most units of it in flight at once. */
  readonly widest: number
}

export interface FleetPlan {
  readonly modules: readonly ModulePlan[]
  readonly starts: readonly PlannedStart[]
  readonly approvals: readonly PlannedApproval[]
  readonly budgets: readonly PlannedBudget[]
  /** The moment at which most units are in flight. */
  readonly widest: { readonly units: number; readonly clusters: number; readonly step: number }
  /** Milliseconds from now until the last start. */
  readonly tookMs: number
  /** The lists of the hub at the end. */
  readonly endState: Pick<FleetObjects, 'modules' | 'inventories'>
}

type FleetModule = FleetObjects['modules'][number]

export function planFleet(input: FleetPlanInput): FleetPlan {
  const run = new PlanRun(input)
  while (run.step() || run.approve() || run.wait());
  return run.plan()
}

/** Nothing is foreseen further than windows are. */
const HORIZON_MS = 366 * 86_400_000

interface RunningModule extends RollForwardInput {
  readonly before: RevisionRecord | undefined
  /** What it needs, and what needs it: their changes are its business. */
  readonly near: Set<RunningModule>
  /** All that it needs or that needs it, however far. */
  readonly kin: Set<RunningModule>
  /** Its units, or some of them, are looked at from other clusters, or look at others. */
  readonly isAcross: boolean
  isDirty: boolean
  end: ScheduleOutput | undefined
  units: readonly UnitFacts[]
  wakesInMs: number | undefined
  widest: number
}

class PlanRun {
  private readonly copy: FleetCopy
  private readonly c: SchedulerDeps
  private readonly beganAt: number
  private readonly running: readonly RunningModule[]
  private readonly starts: PlannedStart[] = []
  private readonly approvals: PlannedApproval[] = []
  private widest = { units: 0, clusters: 0, step: 0 }
  private readonly budgets = new Map<string, PlannedBudget>()
  private steps = 0
  /** Since something started. */
  private rounds = 0
  private nowMs: number

  constructor(input: FleetPlanInput) {
    this.copy = new FleetCopy(input, () => this.nowMs)
    this.beganAt = input.nowMs
    this.nowMs = input.nowMs
    const clock = { now: () => this.nowMs, steady: () => this.nowMs, at: () => () => {} }
    this.c = {
      hub: this.copy,
      fleet: this.copy.fleet,
      maxRemoval: input.maxRemoval,
      env: { clock, calendar: input.calendar },
      events: { record: () => {} },
    }
    this.running = this.copy.allModules().map((module) => this.begin(module, input.publishes))
    link(this.running)
    // What is under way succeeds first; what has failed has failed.
    for (const i of this.copy.inventories.store.all())
      if (i.status?.health !== 'Failed' && this.isInTouch(i.spec.clusterRef.name))
        this.copy.inventories.put(healthyInventory(i))
  }

  private begin(module: FleetModule, publishes: FleetPlanInput['publishes']): RunningModule {
    const ref = moduleRefOf(module)
    const before = findRevisionRecord(this.copy, ref, module.status?.currentRevision)
    const next = findRevisionRecord(this.copy, ref, publishes.get(moduleId(ref)))
    const current = next ?? before
    const isAcross =
      module.spec.targets?.hub === true ||
      moduleEdges(current?.edges ?? []).some((e) => e.cluster !== undefined)
    return {
      ref,
      before,
      current,
      isAcross,
      memory: emptyRollout(),
      near: new Set<RunningModule>(),
      kin: new Set<RunningModule>(),
      known: new Map<string, UnitFacts>(),
      isDirty: true,
      end: undefined,
      units: [],
      wakesInMs: undefined,
      widest: 0,
    }
  }

  private isInTouch(cluster: string): boolean {
    const view = this.copy.fleet.view(this.copy.namespace, cluster)
    return view !== undefined && this.copy.fleet.condition(view).state === 'Connected'
  }

  /** All decide on what is there; then all that was started succeeds. False: nothing has happened. */
  step(): boolean {
    const dirty = this.running.filter((r) => r.isDirty)
    for (const r of dirty) r.isDirty = false
    const begun = dirty.flatMap((r) => this.decide(r))
    this.rounds = begun.length > 0 ? 0 : this.rounds + 1
    if (this.rounds > MOST_ROUNDS * (this.running.length + 1)) throw new Error(circleText(dirty))
    if (begun.length > 0) this.record(begun)
    for (const r of dirty) this.succeedAll(r)
    return this.running.some((r) => r.isDirty)
  }

  private decide(r: RunningModule): Omit<PlannedStart, 'step' | 'afterMs'>[] {
    const { rollout, units, isNews, holdsEndInMs, recorded, isTurned } = rollForward(this.copy, this.c, r)
    for (const cluster of recorded) forget(r, cluster)
    if (isTurned) for (const x of [r, ...r.kin]) x.known.clear()
    r.end = rollout
    r.units = units
    r.wakesInMs = timeLeft(rollout, holdsEndInMs)
    if (isNews) this.touch(r)
    const inFlight = rollout.ledger.filter((e) => e.failed === undefined).length
    r.widest = Math.max(r.widest, inFlight)
    const groups = new Map<string, { kind: StartKind; stage: string; clusters: string[] }>()
    const stages = new Map(rollout.ledger.map((e) => [e.cluster, e.stage]))
    for (const { kind, cluster } of rollout.start) {
      if (kind === 'VerifyOnly') continue
      const stage = stages.get(cluster) ?? ''
      const known = groups.get(`${kind} ${stage}`) ?? { kind, stage, clusters: [] }
      known.clusters.push(cluster)
      groups.set(`${kind} ${stage}`, known)
    }
    return [...groups.values()].map((g) => ({ ...g, module: r.ref }))
  }

  private record(begun: readonly Omit<PlannedStart, 'step' | 'afterMs'>[]): void {
    this.steps++
    for (const b of begun) this.starts.push({ step: this.steps, afterMs: this.nowMs - this.beganAt, ...b })
    for (const { name, max, clusters, disrupted } of budgetsOf(this.copy, this.c)) {
      const widest = Math.max(disrupted.size, this.budgets.get(name)?.widest ?? 0)
      this.budgets.set(name, { name, max, clusters: clusters.size, widest })
    }
    const entries = this.running.flatMap((r) => (r.end?.ledger ?? []).filter((e) => e.failed === undefined))
    if (entries.length <= this.widest.units) return
    const clusters = new Set(entries.map((e) => e.cluster)).size
    this.widest = { units: entries.length, clusters, step: this.steps }
  }

  private succeedAll(r: RunningModule): void {
    const seen = observationOf(this.c, r.ref.namespace)
    for (const { view } of r.units) {
      if (!simulateSuccess(this.copy, seen, r.ref, view.cluster)) continue
      forget(r, view.cluster)
      this.touch(r)
    }
  }

  private touch(changed: RunningModule): void {
    changed.isDirty = true
    for (const r of changed.near) r.isDirty = true
    // A place in a DisruptionBudget may be free now, whoever had it.
    for (const r of this.running) if ((r.end?.awaited.length ?? 0) > 0) r.isDirty = true
  }

  /** Who is asked consents, once. */
  approve(): boolean {
    let isGiven = false
    for (const r of this.running) {
      const { end, ref, current } = r
      const isAsked = end?.blockers.some((b) => CONSENT.has(b.reason)) === true
      if (!isAsked || !end?.stage || !current) continue
      const opened = end.stages.find((s) => s.name === end.stage)?.openedAt !== undefined
      const given: PlannedApproval = {
        module: ref,
        stage: end.stage,
        step: this.steps,
        point: opened ? 'After' : 'Before',
      }
      const isSame = (a: PlannedApproval): boolean =>
        a.module === ref && a.stage === given.stage && a.point === given.point
      if (this.approvals.some(isSame)) continue
      this.approvals.push(given)
      const module = this.copy.module(ref)!
      this.copy.approvals.put(approvalOf(given, module.status?.rollout?.revision ?? current.revision, module))
      r.isDirty = true
      isGiven = true
    }
    return isGiven
  }

  /** Until the first moment at which time alone changes anything. */
  wait(): boolean {
    const wakes = this.running.flatMap((r) => (r.wakesInMs === undefined ? [] : [r.wakesInMs]))
    if (wakes.length === 0) return false
    const afterMs = Math.max(1, Math.min(...wakes))
    if (this.nowMs + afterMs - this.beganAt > HORIZON_MS) return false
    this.nowMs += afterMs
    this.rounds = 0
    for (const r of this.running) {
      if (r.wakesInMs === undefined) continue
      r.isDirty = true
      // A Hold may have ended.
      r.known.clear()
    }
    return true
  }

  plan(): FleetPlan {
    const modules = this.running.map(
      ({ ref, before, current, units, end, widest }): ModulePlan => ({
        ref,
        before,
        current,
        units,
        widest,
        end: end!,
        module: this.copy.module(ref)!,
      }),
    )
    const { starts, approvals, widest } = this
    const budgets = [...this.budgets.values()]
    const endState = { modules: this.copy.allModules(), inventories: [...this.copy.inventories.store.all()] }
    return { modules, starts, approvals, budgets, widest, tookMs: starts.at(-1)?.afterMs ?? 0, endState }
  }
}

/** What one module makes known goes through all others in fewer rounds than that. */
const MOST_ROUNDS = 100

const circleText = (turning: readonly RunningModule[]): string =>
  `a plan goes round in circles at ${turning.map((r) => moduleText(r.ref)).join(', ')}: please report it`

const TIMED: ReadonlySet<string> = new Set(['WindowClosed', 'Soaking'])

/** Milliseconds until time alone lets anything start. A Hold on single clusters is not waited for: it is told. */
function timeLeft(rollout: ScheduleOutput, holdsEndInMs: number | undefined): number | undefined {
  const isWaiting = (reasons: ReadonlySet<string>): boolean =>
    rollout.blockers.some((b) => reasons.has(b.reason))
  const hasEntries = rollout.ledger.some((e) => e.failed === undefined)
  if (rollout.phase === 'Paused') return holdsEndInMs
  return isWaiting(TIMED) || hasEntries ? rollout.changesInMs : undefined
}

/** Who is near whom, and whose kin. */
function link(all: readonly RunningModule[]): void {
  const byId = new Map(all.map((r) => [moduleId(r.ref), r]))
  const edgesOf = (r: RunningModule): RunningModule[] =>
    moduleEdges(r.current?.edges ?? []).flatMap((e) => byId.get(moduleId(e.to)) ?? [])
  for (const r of all)
    for (const other of edgesOf(r)) {
      r.near.add(other)
      other.near.add(r)
    }
  for (const r of all) {
    const open = edgesOf(r)
    for (let next = open.pop(); next; next = open.pop()) {
      if (r.kin.has(next) || next === r) continue
      r.kin.add(next)
      next.kin.add(r)
      open.push(...edgesOf(next))
    }
  }
}

/** A unit is another one: it is looked at anew, and so is whoever looks at it. */
function forget(r: RunningModule, cluster: string): void {
  const all = [r, ...r.kin]
  const isAcross = all.some((x) => x.isAcross)
  for (const x of all) {
    if (isAcross) x.known.clear()
    else x.known.delete(cluster)
  }
}

const CONSENT: ReadonlySet<string> = new Set(['AwaitingApproval', 'ApprovalForOtherRevision'])

const approvalOf = (
  { module: { kind, name }, stage, point }: PlannedApproval,
  revisionHash: string,
  { metadata }: Stored<FleetModule>,
): Stored<Approval> => ({
  apiVersion: API_VERSION,
  kind: approvalKind.kind,
  metadata: {
    ...metadata,
    name: `planned-${name}-${stage}-${point}-${short10(revisionHash)}`.toLowerCase(),
    uid: `planned/${kind}/${name}/${stage}/${point}`,
  },
  spec: { targetRef: { kind: kind as 'Module', name }, stage, point, revisionHash, approvedBy: 'a person' },
})
