import type { Cancel, Env } from '../env/env.ts'
import { backoffMs } from './backoff.ts'

/** people and rollbacks · a dependency opened · a spec or object changed · periodic */
export type Priority = 'urgent' | 'gate' | 'change' | 'resync'

/** What a queue knows of a request; which object it is about is between its sender and its controller. */
export interface QueueRequest {
  /** The name of the controller that handles it. */
  readonly controller: string
  /** Fair shares are given to these: a cluster, or `hub`. */
  readonly cluster: string
  /** Requests of one controller and cluster with the same id are one request. */
  readonly id: string
}

export interface ReconcileResult {
  /** Handled without failure: backoff starts anew. */
  readonly ok: boolean
  /** Look again after so many milliseconds, even without an event. */
  readonly requeueAfterMs?: number
  /** What it knew was too old for a write: the event that brings it back is under way. Each time in a row it waits longer. */
  readonly isOvertaken?: boolean
  /** Least milliseconds until it is handled again, unless it is urgent: events in between are handled as one. */
  readonly restMs?: number
  /** Most milliseconds between two tries after a failure; default one minute. */
  readonly maxBackoffMs?: number
  /** Why it is reconciled again, for the log. */
  readonly failure?: string
}

/** Watches may stand still for minutes without an error; who is overtaken again and again asks no more than that often. */
const OVERTAKEN_MOST_MS = 10_000

interface WaitingItem<Request> {
  readonly item: Request
  priority: Priority
  /** Since when it is due; steady milliseconds. */
  readonly since?: number
}

/** A request that was handled and is not handled again for a while. */
interface Rest<Request> {
  /** Steady milliseconds. */
  readonly until: number
  /** The request, if it was added during the rest. */
  again?: { readonly item: Request; readonly priority: Priority; readonly cancel: Cancel }
}

const ORDER: readonly Priority[] = ['urgent', 'gate', 'change', 'resync']
/** How many of each are taken before the next one gets a turn, so that urgent work cannot starve the rest. */
const WEIGHT: Readonly<Record<Priority, number>> = { urgent: 8, gate: 4, change: 2, resync: 1 }

/**
 * Work by key. A key is there once, held by at most one worker; clusters take turns, so that a noisy one costs the
 * others nothing (controller-runtime's priority queue, plus fairness).
 */
export class WorkQueue<Request extends QueueRequest> {
  private readonly env: Env
  private readonly ready = new Map<Priority, RoundRobin>(ORDER.map((p) => [p, new RoundRobin()]))
  private readonly waiting = new Map<string, WaitingItem<Request>>()
  private readonly held = new Map<string, WaitingItem<Request> | undefined>()
  private readonly timers = new Map<string, { at: number; cancel: Cancel }>()
  private readonly failures = new Map<string, number>()
  private readonly overtaken = new Map<string, number>()
  private readonly resting = new Map<string, Rest<Request>>()
  private readonly takers: ((item: Request | undefined) => void)[] = []
  private credit: Record<Priority, number> = { ...WEIGHT }
  private closed = false

  constructor(env: Env) {
    this.env = env
  }

  /** Items that are due, by priority. */
  get depths(): Readonly<Record<Priority, number>> {
    const depths = { urgent: 0, gate: 0, change: 0, resync: 0 }
    for (const { priority } of this.waiting.values()) depths[priority]++
    return depths
  }

  /** Milliseconds that the oldest item waits for a worker; 0: none waits. */
  get oldestMs(): number {
    const now = this.env.clock.steady()
    let oldest = now
    for (const { since = now } of this.waiting.values()) oldest = Math.min(oldest, since)
    return now - oldest
  }

  get depth(): number {
    return this.waiting.size
  }

  /** True while nothing is ready and nobody holds anything; timers may be pending. */
  get idle(): boolean {
    return this.waiting.size === 0 && this.held.size === 0
  }

  /** Milliseconds that the oldest item is due although fewer than `workers` are held; undefined: none is. */
  stalledMs(workers: number): number | undefined {
    if (this.held.size >= workers) return undefined
    const now = this.env.clock.steady()
    const since = [...this.waiting.values()].map((w) => w.since ?? now)
    const due = [...since, ...[...this.timers.values()].map((t) => t.at)].filter((at) => at < now)
    return due.length === 0 ? undefined : now - Math.min(...due)
  }

  /** Whether it is ready, being handled, or was added while it rests. One that comes back only by a timer is not. */
  has(item: Request): boolean {
    const id = idOf(item)
    return this.waiting.has(id) || this.held.has(id) || this.resting.get(id)?.again !== undefined
  }

  add(item: Request, priority: Priority = 'change'): void {
    if (this.closed) return
    const id = idOf(item)
    this.cancelTimer(id)
    if (this.held.has(id)) {
      const again = this.held.get(id)
      this.held.set(id, { item, priority: higher(priority, again?.priority) })
      return
    }
    const rest = this.resting.get(id)
    if (rest && rest.until > this.env.clock.steady() && priority !== 'urgent') {
      this.addAtEnd(rest, item, priority)
      return
    }
    this.endRest(id)
    const known = this.waiting.get(id)
    if (known && ORDER.indexOf(known.priority) <= ORDER.indexOf(priority)) return
    if (known) this.ready.get(known.priority)!.remove(item.cluster, id)
    this.waiting.set(id, { item, priority, since: known?.since ?? this.env.clock.steady() })
    this.ready.get(priority)!.push(item.cluster, id)
    this.serve()
  }

  private addAtEnd(rest: Rest<Request>, item: Request, priority: Priority): void {
    rest.again?.cancel()
    const again = higher(priority, rest.again?.priority)
    const cancel = this.env.clock.at(rest.until, () => {
      delete rest.again
      this.add(item, again)
    })
    rest.again = { item, priority: again, cancel }
  }

  private endRest(id: string): void {
    this.resting.get(id)?.again?.cancel()
    this.resting.delete(id)
  }

  /** Adds it later; of several times the earliest counts. */
  addAfter(item: Request, ms: number, priority: Priority = 'change'): void {
    if (this.closed) return
    const id = idOf(item)
    if (this.waiting.has(id)) return
    const at = this.env.clock.steady() + ms
    const known = this.timers.get(id)
    if (known && known.at <= at) return
    known?.cancel()
    const cancel = this.env.clock.at(at, () => {
      this.timers.delete(id)
      this.add(item, priority)
    })
    this.timers.set(id, { at, cancel })
  }

  /** The next item; undefined once the queue is closed. */
  take(): Promise<Request | undefined> {
    return new Promise((resolve) => {
      this.takers.push(resolve)
      this.serve()
    })
  }

  done(item: Request, outcome: ReconcileResult): void {
    const id = idOf(item)
    const again = this.held.get(id)
    this.held.delete(id)
    if (outcome.restMs === undefined) this.endRest(id)
    else this.resting.set(id, { until: this.env.clock.steady() + outcome.restMs })
    const failed = outcome.ok ? 0 : (this.failures.get(id) ?? 0) + 1
    if (failed === 0) this.failures.delete(id)
    else this.failures.set(id, failed)
    if (again) this.add(again.item, again.priority)
    else if (failed > 0) this.addAfter(item, backoffMs(failed - 1, this.env.random, outcome.maxBackoffMs))
    const afterMs = this.conflictBackoff(id, outcome)
    if (afterMs !== undefined) this.addAfter(item, afterMs, 'resync')
  }

  private conflictBackoff(
    id: string,
    { requeueAfterMs: afterMs, isOvertaken }: ReconcileResult,
  ): number | undefined {
    if (!isOvertaken || afterMs === undefined) {
      this.overtaken.delete(id)
      return afterMs
    }
    const before = this.overtaken.get(id) ?? 0
    this.overtaken.set(id, before + 1)
    return Math.min(afterMs * 2 ** Math.min(before, 20), OVERTAKEN_MOST_MS)
  }

  close(): void {
    this.closed = true
    for (const t of this.timers.values()) t.cancel()
    this.timers.clear()
    for (const id of [...this.resting.keys()]) this.endRest(id)
    for (const taker of this.takers.splice(0)) taker(undefined)
  }

  private serve(): void {
    if (this.closed) {
      for (const taker of this.takers.splice(0)) taker(undefined)
      return
    }
    while (this.takers.length > 0) {
      const id = this.next()
      if (id === undefined) return
      const { item } = this.waiting.get(id)!
      this.waiting.delete(id)
      this.held.set(id, undefined)
      this.takers.shift()!(item)
    }
  }

  private next(): string | undefined {
    for (let round = 0; round < 2; round++) {
      for (const priority of ORDER) {
        if (this.credit[priority] === 0) continue
        const id = this.ready.get(priority)!.shift()
        if (id === undefined) continue
        this.credit[priority]--
        return id
      }
      this.credit = { ...WEIGHT }
    }
    return undefined
  }

  private cancelTimer(id: string): void {
    this.timers.get(id)?.cancel()
    this.timers.delete(id)
  }
}

const idOf = (i: QueueRequest): string => `${i.controller}|${i.cluster}|${i.id}`

const higher = (a: Priority, b: Priority | undefined): Priority =>
  b !== undefined && ORDER.indexOf(b) < ORDER.indexOf(a) ? b : a

/** First in, first out within a cluster; clusters take turns. */
class RoundRobin {
  private readonly lanes = new Map<string, Set<string>>()

  push(lane: string, id: string): void {
    const ids = this.lanes.get(lane)
    if (ids) ids.add(id)
    else this.lanes.set(lane, new Set([id]))
  }

  remove(lane: string, id: string): void {
    const ids = this.lanes.get(lane)
    ids?.delete(id)
    if (ids?.size === 0) this.lanes.delete(lane)
  }

  shift(): string | undefined {
    const first = this.lanes.entries().next()
    if (first.done) return undefined
    const [lane, ids] = first.value
    const id = ids.values().next().value as string
    ids.delete(id)
    // To the back of the row, if it has more.
    this.lanes.delete(lane)
    if (ids.size > 0) this.lanes.set(lane, ids)
    return id
  }
}
