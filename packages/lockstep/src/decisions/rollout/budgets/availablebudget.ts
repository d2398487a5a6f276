/** Room in the DisruptionBudgets that count a cluster, while a decision is made. */
import { blocked, type NewBlocker } from '../../../api/blocker.ts'
import type { FactsOf } from '../../../api/reasons/index.ts'
import type { DisruptionBudgetView } from './disruption.ts'

/** Entries that a budget's status can hold. */
export const MAX_ENTRIES = 4000

/** A freed place is left for so long to who has waited longest. */
export const TURN_MS = 10_000

/** Clusters that a message names. */
const SHOWN = 3

type BudgetRefusal = 'Unread' | 'Full' | 'Turn' | 'Entries'

/** A budget, and what this decision has taken from it. */
interface BudgetUse {
  readonly view: DisruptionBudgetView
  readonly disrupted: Set<string>
  /** Clusters that have an entry of the module, before or now. */
  readonly own: Set<string>
  entries: number
  /** Why clusters found no place, and how many. */
  readonly closed: Map<BudgetRefusal, number>
}

/** A budget without a place, and the clusters that use its places. */
export interface FullBudget {
  readonly name: string
  readonly disrupted: readonly string[]
}

export class AvailableBudgets {
  private readonly module: string
  private readonly rooms: readonly BudgetUse[]

  /** `module`: whose decision it is, `Module/web`. */
  constructor(budgets: readonly DisruptionBudgetView[], module: string) {
    this.module = module
    this.rooms = [...budgets]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((view) => ({
        view,
        disrupted: new Set(view.disrupted),
        own: new Set(view.ledger.flatMap((e) => (e.module === module ? [e.cluster] : []))),
        entries: view.ledger.length,
        closed: new Map(),
      }))
  }

  /**
   * Whether all that count this cluster have room. `isDown`: the unit is disrupted already, so that it costs nothing. Each
   * that has none is remembered: the module waits in all of them.
   */
  hasPlace(cluster: string, isDown: boolean): boolean {
    let isOpen = true
    for (const room of this.rooms) {
      if (!room.view.clusters.has(cluster)) continue
      const why = this.closedFor(room, cluster, isDown)
      if (why === undefined) continue
      room.closed.set(why, (room.closed.get(why) ?? 0) + 1)
      isOpen = false
    }
    return isOpen
  }

  /** Those without a place for a cluster: each must have one before a unit starts there. */
  fullFor(cluster: string): FullBudget[] {
    return this.rooms
      .filter((room) => room.view.clusters.has(cluster) && this.closedFor(room, cluster, false) === 'Full')
      .map(({ view, disrupted }) => ({ name: view.name, disrupted: [...disrupted].sort() }))
  }

  /** Counts a start; the names of the budgets that it is written down in, if any. */
  take(cluster: string): readonly string[] {
    const taken: string[] = []
    for (const room of this.rooms) {
      if (!room.view.clusters.has(cluster)) continue
      room.disrupted.add(cluster)
      if (!room.own.has(cluster)) room.entries++
      room.own.add(cluster)
      taken.push(room.view.name)
    }
    return taken
  }

  /** Names of the budgets that kept somebody waiting. */
  get awaited(): readonly string[] {
    return this.rooms.filter((r) => r.closed.size > 0).map((r) => r.view.name)
  }

  /** Milliseconds until it is this module's turn where others have waited longer. */
  get turnInMs(): number | undefined {
    const turns = this.rooms.filter((r) => r.closed.has('Turn')).map((r) => TURN_MS - r.view.freeMs)
    return turns.length === 0 ? undefined : Math.min(...turns)
  }

  blockers(): NewBlocker[] {
    return this.rooms.flatMap((room) =>
      [...room.closed].map(([why, count]): NewBlocker => {
        const on = [{ kind: 'Budget', name: room.view.name }] as const
        return { ...blocked('DisruptionBudget', on, budgetFacts(room, why, count)), count }
      }),
    )
  }

  private closedFor(room: BudgetUse, cluster: string, isDown: boolean): BudgetRefusal | undefined {
    const { view } = room
    if (room.entries >= MAX_ENTRIES && !room.own.has(cluster)) return 'Entries'
    if (isDown || room.disrupted.has(cluster)) return undefined
    if (view.problem !== undefined) return 'Unread'
    if (room.disrupted.size >= view.max) return 'Full'
    const oldest = view.waiters[0]
    return oldest && oldest.module !== this.module && view.freeMs < TURN_MS ? 'Turn' : undefined
  }
}

const STATES = { Unread: 'Unreadable', Full: 'Full', Turn: 'Turn', Entries: 'Entries' } as const

const budgetFacts = (
  { view, disrupted }: BudgetUse,
  why: BudgetRefusal,
  waiting: number,
): FactsOf<'DisruptionBudget'> => ({
  state: STATES[why],
  waiting,
  disrupted: disrupted.size,
  max: view.max,
  names: [...disrupted].sort().slice(0, SHOWN),
  next: why === 'Turn' ? view.waiters[0]!.module : undefined,
  problem: why === 'Unread' ? view.problem : undefined,
})
