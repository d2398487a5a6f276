/**
 * Oracles over the trace of API writes: each invariant (docs/reference), checked against true history by code that shares
 * nothing with the code that decides. They count how often they were put to the test.
 */
import type { CommitRecord } from '@lockstep/apiserver/server'
import { Bundles } from './bundles.ts'
import { checkBlame } from './checkblame.ts'
import { checkBudget } from './checkbudget.ts'
import { checkClaims } from './checkclaims.ts'
import { checkDeletes } from './checkdeletes.ts'
import { checkDisruption } from './checkdisruption.ts'
import { checkFollow } from './checkfollow.ts'
import { checkGate } from './checkgate.ts'
import { checkHistory } from './checkhistory.ts'
import { checkOrder } from './checkorder.ts'
import { checkOwnership } from './checkownership.ts'
import { checkReferences } from './checkreferences.ts'
import { ClusterHistory } from './clusterhistory.ts'
import { HookHistory } from './hookhistory.ts'
import {
  type InvariantId,
  type InvariantViolation,
  invariantNames,
  type OracleContext,
} from './oraclecontext.ts'
import { RecentChanges } from './recentchanges.ts'
import { WaveTracker } from './wavetracker.ts'

export interface OracleVerdict {
  readonly id: InvariantId
  readonly name: string
  readonly tested: number
  readonly violations: readonly InvariantViolation[]
}

export class Oracles {
  readonly violations: InvariantViolation[] = []
  private readonly hooks = new HookHistory()
  private readonly waves = new WaveTracker()
  private readonly counts = new Map<InvariantId, number>()
  private readonly context: OracleContext

  /**
   * `clock`: monotonic milliseconds of the run that is watched. `newsMs`: limit within which the executor learns
   * about changes by other programs, where watches are late on purpose.
   */
  constructor(clock: () => number, newsMs?: number) {
    const history = new ClusterHistory(clock)
    this.context = {
      history,
      lately: new RecentChanges(clock, newsMs),
      bundles: new Bundles(history),
      tested: (id, times = 1) => void this.counts.set(id, (this.counts.get(id) ?? 0) + times),
      broken: (invariant, message) => void this.violations.push({ invariant, message, at: history.now }),
    }
  }

  /** Each commit, in order. Checks run on the state before it, knowing it. */
  observe(commit: CommitRecord): void {
    checkGate(this.context, commit)
    checkFollow(this.context, commit)
    checkBudget(this.context, commit)
    checkDisruption(this.context, commit)
    checkOrder(this.context, commit)
    checkOwnership(this.context, commit)
    checkDeletes(this.context, commit)
    checkClaims(this.context, commit)
    checkHistory(this.context, commit)
    this.hooks.check(this.context, commit)
    this.waves.check(this.context, commit)
    this.context.history.add(commit)
    this.context.lately.add(commit)
  }

  /** At a point where nothing more happens: what waits must say why, and wait for something that exists. */
  atRest(): void {
    checkBlame(this.context)
    this.references()
  }

  /** While nothing is written for a while: each object that a blocker refers to exists. */
  references(): void {
    checkReferences(this.context)
  }

  /** `commits` were made while nothing should have been written. */
  quiet(commits: readonly CommitRecord[]): void {
    this.context.tested('I12')
    for (const c of commits)
      this.context.broken('I12', `${c.actor} wrote ${c.resource} ${c.key} on ${c.cluster} at the fixpoint`)
  }

  verdicts(): OracleVerdict[] {
    return (Object.keys(invariantNames) as InvariantId[]).map((id) => ({
      id,
      name: invariantNames[id],
      tested: this.counts.get(id) ?? 0,
      violations: this.violations.filter((v) => v.invariant === id),
    }))
  }
}

export type { InvariantId, InvariantViolation } from './oraclecontext.ts'
