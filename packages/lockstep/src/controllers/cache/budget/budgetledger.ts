/**
 * DisruptionBudgets of one process: read out of the caches, taken from before a module's ledger is written, given back after
 * it. Each write is a compare-and-swap on the version that was decided on; a lost one ends the attempt.
 */

import type { Env } from '@lockstep/kube/env'
import { keyOf, keyText, preciseTimestamp, type Stored, timestamp } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { DisruptionBudget, DisruptionBudgetStatus } from '../../../api/kinds/index.ts'
import { type ModuleRef, moduleId } from '../../../decisions/graph/index.ts'
import {
  afterTurn,
  type BudgetFacts,
  type ConfirmedSlots,
  type CountedCluster,
  type DisruptionBudgetView,
  disruptionBudgetView,
  hasRoom,
  type InFlightEntry,
  type ScheduleOutput,
  withoutClusters,
  withStarts,
  withWaiter,
} from '../../../decisions/rollout/index.ts'
import type { Fleet } from '../../../fleet/clusters/index.ts'
import { hubTime, type StatusResult, type StatusWriter } from '../../runtime/index.ts'
import type { HubInformers } from '../hubcaches.ts'
import { budgetFactsOfClusters, budgetFactsOfModules, disruptedClusters } from './budgetfacts.ts'
import { budgetStatus } from './budgetstatus.ts'

/** A budget as it was read, and what it was read as. */
export interface ObservedBudget {
  readonly budget: Stored<DisruptionBudget>
  readonly facts: BudgetFacts
  readonly view: DisruptionBudgetView
}

interface BudgetUpdateOptions {
  readonly debounceMs: number
  readonly urgent: (before: DisruptionBudgetStatus | undefined, after: DisruptionBudgetStatus) => boolean
}

export class BudgetLedger {
  private readonly env: Env
  private readonly hub: HubInformers
  private readonly fleet: Fleet
  private readonly status: StatusWriter
  /** Since when (monotonic) each has had room. */
  private readonly freeSince = new Map<string, number>()
  /** Modules that a budget kept waiting at their last look, by id. */
  private readonly waiting = new Map<string, Set<string>>()
  /** Clusters whose place a module's ledger has given up, and a budget's perhaps not. */
  private readonly given = new Map<string, Set<string>>()

  constructor(env: Env, hub: HubInformers, fleet: Fleet, status: StatusWriter) {
    this.env = env
    this.hub = hub
    this.fleet = fleet
    this.status = status
  }

  /** Those of a namespace. Where there are none, nothing is looked at. */
  of(namespace: string): ObservedBudget[] {
    const stored = [...this.hub.disruptionBudgets.store.by('namespace', namespace)]
    if (stored.length === 0) return []
    const clusters = budgetFactsOfClusters(this.fleet, namespace)
    const unwell = disruptedClusters(this.hub, this.fleet, namespace)
    return stored
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map((budget) => this.seen(budget, clusters, unwell))
  }

  /** One of them. */
  get(key: string): ObservedBudget | undefined {
    const budget = this.hub.disruptionBudgets.store.get(key)
    if (!budget) return undefined
    const { namespace = '' } = budget.metadata
    return this.seen(
      budget,
      budgetFactsOfClusters(this.fleet, namespace),
      disruptedClusters(this.hub, this.fleet, namespace),
    )
  }

  /** What the modules of a namespace have in their own ledgers. */
  confirmedIn(namespace: string): ConfirmedSlots {
    return budgetFactsOfModules(this.hub, namespace)
  }

  /** Modules that a budget kept waiting, the one that waits longest first. */
  waitingFor(key: string): readonly string[] {
    return [...(this.waiting.get(key) ?? [])]
  }

  forget(key: string): void {
    this.freeSince.delete(key)
    this.waiting.delete(key)
  }

  /** Before the module's ledger: places for its starts, budget by budget. Undefined: all are taken, or none was needed. */
  async take(
    ref: ModuleRef,
    seen: readonly ObservedBudget[],
    before: readonly InFlightEntry[],
    { start, awaited }: Pick<ScheduleOutput, 'start' | 'awaited'>,
  ): Promise<ReconcileResult | undefined> {
    this.note(ref, seen, awaited)
    const module = `${ref.kind}/${ref.name}`
    const confirmed = new Set(before.map((e) => e.cluster))
    for (const { cluster } of start) this.given.get(moduleId(ref))?.delete(cluster)
    for (const s of seen) {
      const { name } = s.view
      const clusters = start.filter((x) => x.takes?.includes(name)).map((x) => x.cluster)
      const since = preciseTimestamp(this.now())
      const ledger = withStarts(s.view.ledger, { module, clusters, confirmed, since })
      if (ledger === s.view.ledger) continue
      const failed = await this.write(s, { ledger, waiters: afterTurn(s.view, module, clusters) })
      if (failed) return failed
    }
    return undefined
  }

  /** The module's ledger is committed: what it has let go of is to be given back, also where that takes several attempts. */
  committed(ref: ModuleRef, before: readonly InFlightEntry[], after: readonly InFlightEntry[]): void {
    const id = moduleId(ref)
    const kept = new Set(after.map((e) => e.cluster))
    const given = this.given.get(id) ?? new Set<string>()
    for (const { cluster } of before) if (!kept.has(cluster)) given.add(cluster)
    for (const cluster of kept) given.delete(cluster)
    if (given.size > 0) this.given.set(id, given)
    else this.given.delete(id)
  }

  /** Its records are written, too: places are given back, and its wait is said. */
  async settle(
    ref: ModuleRef,
    seen: readonly ObservedBudget[],
    awaited: readonly string[],
  ): Promise<ReconcileResult | undefined> {
    const module = `${ref.kind}/${ref.name}`
    const given = this.given.get(moduleId(ref)) ?? new Set()
    const isListed = ({ view }: ObservedBudget): boolean => view.waiters.some((w) => w.module === module)
    if (given.size === 0 && seen.every((s) => isListed(s) === awaited.includes(s.view.name))) return undefined
    for (const s of this.of(ref.namespace)) {
      const left = withoutClusters(s.view.ledger, module, given)
      const waiters = withWaiter(s.view.waiters, {
        module,
        isWaiting: awaited.includes(s.view.name),
        hasRoom: hasRoom(disruptionBudgetView({ ...s.facts, ledger: left })),
        since: timestamp(this.now()),
      })
      if (left === s.view.ledger && waiters === s.view.waiters) continue
      const failed = await this.write(s, { ledger: left, waiters })
      if (failed) return failed
    }
    this.given.delete(moduleId(ref))
    return undefined
  }

  /** Writes a budget's status by compare-and-swap, if it says anything new. Undefined: it says so now. */
  private async write(
    budget: ObservedBudget,
    counted: Pick<DisruptionBudgetView, 'ledger' | 'waiters'>,
  ): Promise<ReconcileResult | undefined> {
    const written = await this.update(budget, counted)
    // A conflict too: the decision was made on an older version.
    return written.error ? written : undefined
  }

  /** The same, with a debounce. */
  update(
    { budget, facts }: ObservedBudget,
    { ledger, waiters }: Pick<DisruptionBudgetView, 'ledger' | 'waiters'>,
    options?: BudgetUpdateOptions,
  ): Promise<StatusResult<DisruptionBudget>> {
    const view = disruptionBudgetView({ ...facts, ledger, waiters })
    const status = budgetStatus(budget, view, timestamp(this.now()))
    return this.status.update('disruptionBudgets', budget, status, options)
  }

  /** Stamps of one process are compared by others: they are of the hub's time. */
  private now(): number {
    return hubTime({ hub: this.hub, env: this.env }).nowMs
  }

  /** Who waits is looked at again when a place is free. */
  private note(ref: ModuleRef, seen: readonly ObservedBudget[], awaited: readonly string[]): void {
    for (const { budget, view } of seen) {
      const key = keyText(keyOf(budget))
      const found = this.waiting.get(key) ?? new Set<string>()
      if (awaited.includes(view.name)) found.add(moduleId(ref))
      else found.delete(moduleId(ref))
      this.waiting.set(key, found)
    }
  }

  private seen(
    budget: Stored<DisruptionBudget>,
    clusters: readonly CountedCluster[],
    unwell: ReadonlySet<string>,
  ): ObservedBudget {
    const { ledger = [], waiters = [] } = budget.status ?? {}
    const key = keyText(keyOf(budget))
    const facts = { name: budget.metadata.name, spec: budget.spec, ledger, waiters, clusters, unwell }
    const view = disruptionBudgetView({ ...facts, freeMs: 0 })
    const now = this.env.clock.steady()
    const since = hasRoom(view) ? (this.freeSince.get(key) ?? now) : undefined
    if (since === undefined) this.freeSince.delete(key)
    else this.freeSince.set(key, since)
    const freeMs = since === undefined ? 0 : now - since
    return { budget, facts: { ...facts, freeMs }, view: { ...view, freeMs } }
  }
}
