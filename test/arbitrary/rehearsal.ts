/** A rollout that is decided again and again, as a controller does it, on units that do what they are told. */

import { cronCalendar } from '../../packages/kube/src/env/calendar.ts'
import type { RolloutPolicy } from '../../packages/lockstep/src/decisions/rollout/policy.ts'
import { schedule } from '../../packages/lockstep/src/decisions/rollout/schedule.ts'
import { WHOLE_STAGE } from '../../packages/lockstep/src/decisions/rollout/stagemembers.ts'
import type {
  ApprovalView,
  ScheduleInput,
  ScheduleOutput,
  UnitAt,
  UnitView,
} from '../../packages/lockstep/src/decisions/rollout/types.ts'
import { notHealthy } from './scheduleinputs.ts'

export const OLD = 'v1:1'
export const NEW = 'v1:2'

/** What becomes of a unit once it is started. Broken: it has failed where it is, and is well once it is started. */
export type Fate = 'Done' | 'Running' | 'Failed' | 'Silent' | 'Broken'

export interface RehearsalMember {
  readonly labels?: Readonly<Record<string, string>>
  fate?: Fate
  /** Its gate is closed. */
  blocked?: boolean
  clusterState?: UnitView['clusterState']
  hold?: UnitView['hold']
}

const CLOSED = [notHealthy('certs')]

/** The world of one module: clusters at the old revision, of which those that are started get to the new one. */
export class Rehearsal {
  readonly members = new Map<string, RehearsalMember>()
  /** Revision that each cluster has. */
  readonly at = new Map<string, string | undefined>()
  readonly approvals: ApprovalView[] = []
  /** The stage that each cluster's record names. */
  readonly stageOf = new Map<string, string>()
  /** Clusters in the order in which they were started. */
  readonly started: string[] = []
  policy: RolloutPolicy
  last: ScheduleOutput | undefined
  target = { revision: NEW, bundle: 'v1:b2' }
  nowMs = 0
  over: Partial<ScheduleInput> = {}

  constructor(policy: Partial<RolloutPolicy>, members: Readonly<Record<string, RehearsalMember>>) {
    this.policy = {
      strategy: 'Staged',
      minReadySeconds: 0,
      progressDeadlineSeconds: 1800,
      onFailure: 'Halt',
      maxUnavailable: '100%',
      ...policy,
    }
    for (const [name, member] of Object.entries(members)) this.add(name, member, OLD)
  }

  add(name: string, member: RehearsalMember, revision: string | undefined): void {
    this.members.set(name, { ...member })
    this.at.set(name, revision)
  }

  /** One decision after so many seconds, and what follows from it. */
  decide(seconds = 0): ScheduleOutput {
    this.nowMs += seconds * 1000
    const { last } = this
    const isSame = last !== undefined
    this.last = schedule({
      module: 'Module/web',
      deleting: false,
      target: this.target,
      policy: this.policy,
      units: [...this.members].map(([name, m]) => this.view(name, m)),
      ledger: last?.ledger ?? [],
      ran: last?.ran,
      haltedAt: last?.haltedAt,
      retry: false,
      completedAt: last?.phase === 'Complete' ? this.target.revision : undefined,
      stages: isSame ? last.stages : [],
      approvals: this.approvals,
      heldBy: undefined,
      gates: new Map(),
      clocks: last?.clocks ?? new Map(),
      soaks: last?.soaks ?? new Map(),
      elapsedMs: seconds * 1000,
      nowMs: this.nowMs,
      calendar: cronCalendar,
      skewMs: undefined,
      ...this.over,
    })
    for (const s of this.last.start) {
      if (s.kind !== 'VerifyOnly') this.started.push(s.cluster)
      this.at.set(s.cluster, s.revision)
      const entry = this.last.ledger.find((e) => e.cluster === s.cluster)
      this.stageOf.set(s.cluster, entry?.stage ?? WHOLE_STAGE)
    }
    return this.last
  }

  /** Decides until nothing starts any more; says who was started meanwhile. */
  settle(): string[] {
    const from = this.started.length
    for (let i = 0; i < 100; i++) {
      const { start } = this.decide()
      if (start.length === 0) break
    }
    this.decide()
    return this.started.slice(from)
  }

  approve(stage: string, over: Partial<ApprovalView> = {}): void {
    this.approvals.push({ name: 'a1', stage, point: 'After', revisionHash: NEW, approvedBy: 'ann', ...over })
  }

  reasons(): string[] {
    return this.last!.blockers.map((b) => b.reason)
  }

  private view(name: string, m: RehearsalMember): UnitView {
    const revision = this.at.get(name)
    const fate = m.fate ?? 'Done'
    const isNew = revision !== undefined && revision !== OLD
    const isWell = isNew ? fate === 'Done' || fate === 'Broken' : fate !== 'Broken'
    const hasFailed = fate === (isNew ? 'Failed' : 'Broken')
    const at = (asked: string): UnitAt => ({
      verified: asked === revision && isWell,
      ahead: false,
      sameContent: asked === revision,
      running: asked === revision && isNew && !isWell,
      failure: asked === revision && hasFailed ? 'broken' : undefined,
      gate: m.blocked ? CLOSED : [],
    })
    const state = m.clusterState ?? (isNew && fate === 'Silent' ? 'Unreachable' : 'Connected')
    return {
      cluster: name,
      labels: m.labels ?? {},
      order: name,
      clusterState: state,
      selected: true,
      present: revision !== undefined,
      leaving: false,
      recordStage: this.stageOf.get(name),
      recordRevision: revision,
      admittedRevision: revision,
      healthy: revision !== undefined && isWell,
      dependants: [],
      hold: m.hold,
      at,
    }
  }
}
