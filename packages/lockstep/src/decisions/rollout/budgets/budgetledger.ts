/** What a DisruptionBudget remembers: who has a place, and who waits for one. */
import type { BudgetEntry, BudgetWaiter, DisruptionBudgetView } from './disruption.ts'

/** Modules that a budget's status lists as waiting. */
export const MAX_WAITERS = 16

/** Nobody's module has it: a request that was under way when its process died is no more after so long. */
export const LEFT_OVER_MS = 60_000
/** So long a request may be under way at most, and a little more: before that nothing is given up, whatever clocks say. */
const FENCE_MS = 40_000

const idOf = (e: Pick<BudgetEntry, 'module' | 'cluster'>): string => `${e.module} ${e.cluster}`

const sorted = (ledger: readonly BudgetEntry[]): BudgetEntry[] =>
  [...ledger].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))

export interface BudgetTaking {
  readonly module: string
  readonly clusters: readonly string[]
  /** Clusters that the module's own ledger has: their places are confirmed. */
  readonly confirmed: ReadonlySet<string>
  /** Now, to the millisecond. */
  readonly since: string
}

/**
 * The ledger with these starts; the same one where nothing is to be written. A place that is there already, and that the
 * module's own ledger does not confirm, is taken anew: whoever is about to give it back as left over loses the race.
 */
export function withStarts(ledger: readonly BudgetEntry[], t: BudgetTaking): readonly BudgetEntry[] {
  const known = new Set(ledger.flatMap((e) => (e.module === t.module ? [e.cluster] : [])))
  const taken = t.clusters.filter((c) => !known.has(c) || !t.confirmed.has(c))
  if (taken.length === 0) return ledger
  const anew = new Set(taken)
  return sorted([
    ...ledger.filter((e) => e.module !== t.module || !anew.has(e.cluster)),
    ...taken.map((cluster) => ({ module: t.module, cluster, since: t.since })),
  ])
}

/** The ledger without places of a module that are given back. */
export function withoutClusters(
  ledger: readonly BudgetEntry[],
  module: string,
  clusters: ReadonlySet<string>,
): readonly BudgetEntry[] {
  const left = ledger.filter((e) => e.module !== module || !clusters.has(e.cluster))
  return left.length === ledger.length ? ledger : left
}

/**
 * Who waits, after a module has looked. One that still finds no place keeps its rank; a new one comes last, as long as the
 * list holds it. Where there is room, and nobody is before it, it need not queue.
 */
export function withWaiter(
  waiters: readonly BudgetWaiter[],
  { module, isWaiting, hasRoom, since }: BudgetWaiter & { isWaiting: boolean; hasRoom: boolean },
): readonly BudgetWaiter[] {
  const isListed = waiters.some((w) => w.module === module)
  if (!isWaiting) return isListed ? waiters.filter((w) => w.module !== module) : waiters
  const isFree = hasRoom && waiters.length === 0
  return isListed || isFree || waiters.length >= MAX_WAITERS ? waiters : [...waiters, { module, since }]
}

/** Who waits, once a module starts on these clusters: whoever got a place has had its turn, and queues anew. */
export const afterTurn = (
  { waiters, disrupted }: Pick<DisruptionBudgetView, 'waiters' | 'disrupted'>,
  module: string,
  clusters: readonly string[],
): readonly BudgetWaiter[] =>
  clusters.every((c) => disrupted.has(c)) ? waiters : waiters.filter((w) => w.module !== module)

/** Places by module, as the modules' own ledgers have them. */
export type ConfirmedSlots = ReadonlyMap<string, ReadonlySet<string>>

/** Places that no module's ledger confirms, of clusters that the budget counts. */
export const unconfirmed = (
  { ledger, clusters }: Pick<DisruptionBudgetView, 'ledger' | 'clusters'>,
  confirmed: ConfirmedSlots,
): BudgetEntry[] =>
  ledger.filter((e) => clusters.has(e.cluster) && confirmed.get(e.module)?.has(e.cluster) !== true)

/**
 * What the ledger should be: what modules have in flight on clusters that are counted is added, wherever it was lost; what
 * is not counted any more, and what is left over, goes.
 */
export function repairBudgetLedger(
  { ledger, clusters }: Pick<DisruptionBudgetView, 'ledger' | 'clusters'>,
  confirmed: ConfirmedSlots,
  leftOver: ReadonlySet<BudgetEntry>,
  since: string,
): readonly BudgetEntry[] {
  const known = new Set(ledger.map(idOf))
  const lost: BudgetEntry[] = []
  for (const [module, places] of confirmed)
    for (const cluster of places)
      if (clusters.has(cluster) && !known.has(idOf({ module, cluster })))
        lost.push({ module, cluster, since })
  const kept = ledger.filter((e) => clusters.has(e.cluster) && !leftOver.has(e))
  return lost.length === 0 && kept.length === ledger.length ? ledger : sorted([...kept, ...lost])
}

/**
 * Milliseconds until a place that nobody confirms is left over; 0: it is. By the clock of the wall that is so long after it
 * was taken, and never before this process has watched it for as long as a request may be under way: neither a clock that is
 * wrong nor a new process shortens that.
 */
export function leftOverIn(ageMs: number, watchedMs: number): number {
  const byAge = Math.max(LEFT_OVER_MS - ageMs, FENCE_MS - watchedMs)
  return Math.max(0, Math.min(byAge, LEFT_OVER_MS - watchedMs))
}
