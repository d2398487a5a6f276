/**
 * DisruptionBudgets: what they count is kept in their status; what was lost of a ledger is put back, what a crash has left
 * over is given up; modules that wait are looked at again when there is room.
 */

import { requestErrorText } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import { jsonEqual, keyText, parseTimestampMs, preciseTimestamp, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import {
  bootstrapModuleKind,
  type DisruptionBudgetStatus,
  type Inventory,
  type Module,
  moduleKind,
} from '../../api/kinds/index.ts'
import { refOfId } from '../../decisions/graph/index.ts'
import {
  type BudgetEntry,
  type DisruptionBudgetView,
  leftOverIn,
  repairBudgetLedger,
  unconfirmed,
} from '../../decisions/rollout/index.ts'
import {
  type BudgetLedger,
  type HubInformers,
  isUnhealthy,
  moduleRequest,
  type ObservedBudget,
} from '../cache/index.ts'
import {
  always,
  type Controller,
  defineController,
  done,
  hubTime,
  kindAndName,
  memberCluster,
  type ObjectKey,
  objectKey,
  on,
  onCluster,
  type RequestQueue,
  soonest,
} from '../runtime/index.ts'

/** Counts of a status are behind by at most so long. */
const HOLD_MS = 1000

export interface BudgetDeps {
  readonly env: Env
  readonly hub: Pick<HubInformers, 'own' | 'disruptionBudgets' | 'module'>
  readonly budgets: BudgetLedger
  /** Modules that wait for room. */
  readonly requests: RequestQueue
}

/** Memory of this process about one budget. */
interface BudgetMemory {
  /** Since when (monotonic) it has watched a place that no module's ledger confirms. */
  readonly watched: Map<string, number>
  /** As it was at the last look. */
  last: DisruptionBudgetView | undefined
}

const emptyMemory = (): BudgetMemory => ({ watched: new Map(), last: undefined })

class BudgetReconciler {
  private readonly d: BudgetDeps
  private readonly memories = new Map<string, BudgetMemory>()

  constructor(d: BudgetDeps) {
    this.d = d
  }

  async reconcile(name: ObjectKey): Promise<ReconcileResult> {
    const key = keyText(name)
    const seen = this.d.budgets.get(key)
    if (!seen) {
      this.wake(key)
      this.d.budgets.forget(key)
      this.memories.delete(key)
      return done
    }
    const memory: BudgetMemory = this.memories.get(key) ?? emptyMemory()
    this.memories.set(key, memory)
    if (!memory.last || !isAlike(memory.last, seen.view)) this.wake(key)
    memory.last = seen.view
    const { leftOver, againInMs } = await this.leftOvers(seen, memory)
    const now = hubTime(this.d).nowMs
    const confirmed = this.d.budgets.confirmedIn(seen.budget.metadata.namespace ?? '')
    const ledger = repairBudgetLedger(seen.view, confirmed, leftOver, preciseTimestamp(now))
    const waiters = seen.view.waiters.filter((w) => this.moduleOf(seen, w.module) !== undefined)
    const isUrgent = ledger !== seen.view.ledger || waiters.length < seen.view.waiters.length
    const written = await this.d.budgets.update(
      seen,
      { ledger, waiters },
      // Decisions read the ledger, not the counts and texts about it.
      { debounceMs: HOLD_MS, urgent: (before, after) => isUrgent || verdictChanged(before, after) },
    )
    return soonest(written, againInMs)
  }

  /** Places that no module's ledger has confirmed for long enough, not in the cache and not on the server. */
  private async leftOvers(
    seen: ObservedBudget,
    { watched }: BudgetMemory,
  ): Promise<{ leftOver: ReadonlySet<BudgetEntry>; againInMs: number | undefined }> {
    const { namespace = '' } = seen.budget.metadata
    const open = unconfirmed(seen.view, this.d.budgets.confirmedIn(namespace))
    const steady = this.d.env.clock.steady()
    const ids = new Map(open.map((e) => [`${e.module} ${e.cluster} ${e.since}`, e]))
    for (const id of watched.keys()) if (!ids.has(id)) watched.delete(id)
    const due: BudgetEntry[] = []
    let againInMs: number | undefined
    for (const [id, e] of ids) {
      const from = watched.get(id) ?? steady
      watched.set(id, from)
      const takenMs = parseTimestampMs(e.since)
      const ageMs = takenMs === undefined ? 0 : hubTime(this.d).nowMs - takenMs
      const left = leftOverIn(ageMs, steady - from)
      if (left === 0) due.push(e)
      else againInMs = Math.min(againInMs ?? left, left)
    }
    const gone = await this.unclaimed(seen, due)
    // Its module has it, and the cache is behind.
    if (gone.length < due.length) againInMs = Math.min(againInMs ?? HOLD_MS, HOLD_MS)
    return { leftOver: new Set(gone), againInMs }
  }

  /** Those that their module's own ledger does not have on the server either. */
  private async unclaimed(seen: ObservedBudget, due: readonly BudgetEntry[]): Promise<BudgetEntry[]> {
    const { namespace = '' } = seen.budget.metadata
    const out: BudgetEntry[] = []
    for (const module of new Set(due.map((e) => e.module))) {
      const { kind, name } = kindAndName(module)
      const ours = kind === 'BootstrapModule' ? bootstrapModuleKind : moduleKind
      const found = await this.d.hub.own.get<Module>(ours, { namespace, name }, { purpose: 'reread' })
      if (!found.ok && found.error.kind !== 'NotFound') {
        this.d.env.log.debug('hub read failed', { err: requestErrorText(found.error) })
        continue
      }
      const ledger = found.ok ? (found.value.status?.rollout?.ledger ?? []) : []
      out.push(...due.filter((e) => e.module === module && !ledger.some((x) => x.cluster === e.cluster)))
    }
    return out
  }

  private moduleOf({ budget }: ObservedBudget, module: string): Stored<Module> | undefined {
    const { kind, name } = kindAndName(module)
    const { namespace = '' } = budget.metadata
    return this.d.hub.module({
      kind: kind === 'BootstrapModule' ? 'BootstrapModule' : 'Module',
      namespace,
      name,
    })
  }

  /** Modules that found no place there look again: something is different. */
  private wake(key: string): void {
    for (const id of this.d.budgets.waitingFor(key)) this.d.requests.add(moduleRequest(refOfId(id)), 'gate')
  }
}

/** Conditions, which alerts read; all else is counts and texts. */
function verdictChanged(before: DisruptionBudgetStatus | undefined, after: DisruptionBudgetStatus): boolean {
  const verdicts = (s: DisruptionBudgetStatus | undefined) =>
    (s?.conditions ?? []).map((x) => `${x.type}=${x.status}`)
  return (
    before?.observedGeneration !== after.observedGeneration || !jsonEqual(verdicts(before), verdicts(after))
  )
}

/** For whoever waits nothing has changed. A cluster that falls is news too: what starts there costs nothing any more. */
const isAlike = (a: DisruptionBudgetView, b: DisruptionBudgetView): boolean =>
  a.max === b.max &&
  a.problem === b.problem &&
  a.waiters[0]?.module === b.waiters[0]?.module &&
  isSameSet(a.disrupted, b.disrupted) &&
  isSameSet(a.clusters, b.clusters)

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((x) => b.has(x))

/** Those of a namespace. */
const budgetsIn = (hub: BudgetDeps['hub'], namespace = ''): ObjectKey[] =>
  [...hub.disruptionBudgets.store.by('namespace', namespace)].map((b) => objectKey.of(b.metadata))

const unitHealthChanged = (
  before: Stored<Inventory> | undefined,
  after: Stored<Inventory> | undefined,
): boolean => isUnwell(before) !== isUnwell(after)

const isUnwell = (i: Stored<Inventory> | undefined): boolean => i !== undefined && isUnhealthy(i)

/** Its ledger; one that is gone waits for nothing any more. */
const placesChanged = (before: Stored<Module> | undefined, after: Stored<Module> | undefined): boolean =>
  after === undefined || !jsonEqual(placesOf(before), placesOf(after))

const placesOf = (module: Stored<Module> | undefined): string[] =>
  (module?.status?.rollout?.ledger ?? []).map((e) => e.cluster)

export function budgetController(d: BudgetDeps): Controller<ObjectKey> {
  const reconciler = new BudgetReconciler(d)
  const beside = ({ metadata }: Pick<Stored, 'metadata'>): ObjectKey[] => budgetsIn(d.hub, metadata.namespace)
  return defineController({
    name: 'disruptionbudget',
    key: objectKey,
    for: on('disruptionBudgets', always),
    watches: [
      on('inventories', unitHealthChanged, beside),
      on('modules', placesChanged, beside),
      on('bootstrapModules', placesChanged, beside),
      // The state or the labels of a cluster changed.
      onCluster(memberCluster, ({ namespace }) => budgetsIn(d.hub, namespace)),
    ],
    reconcile: (key) => reconciler.reconcile(key),
  })
}
