/**
 * Questions to what lies outside the hub, and their last answers. What can move is asked again at the asker's interval, what
 * fails ever more rarely; a question of several is asked once.
 */
import { type Env, err, type Result } from '@lockstep/kube/env'
import { backoffMs } from '@lockstep/kube/workqueue'
import { bugText } from '../../api/bugtext.ts'
import { JobPool, type JobsBefore } from './jobpool.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** What is known of something outside. */
export type FetchResult<T> =
  | { readonly state: 'Working'; readonly againInMs?: number; readonly before?: JobsBefore }
  /** `againInMs`: milliseconds until it is asked for again. */
  | { readonly state: 'Known'; readonly value: T; readonly againInMs?: number }
  | { readonly state: 'Failed'; readonly failure: SourceFailure; readonly againInMs?: number }

/** Who asks, and how often what can move is asked for. */
export interface Requester {
  /** Woken when there is news. */
  readonly who: string
  readonly namespace: string
  /** Its Secrets are read with the rights of this ServiceAccount; absent: of the default one. */
  readonly serviceAccountName?: string | undefined
  readonly intervalMs: number
  readonly timeoutMs: number
  /** Another text than before: it is asked for at once, and what was known before does not count. */
  readonly trigger: string
  /** Versions of its Secrets. Others than at a failure: it is asked for again soon. */
  readonly credentials?: string | undefined
}

export interface FetchState<T> {
  readonly result: Result<T, SourceFailure>
  /** When it was asked for. */
  readonly at: number
  readonly failures: number
  readonly waitMs: number
  readonly credentials: string | undefined
}

/**
 * When a question that has an answer is asked again. Never: it cannot change. Triggered: it should not, and somebody may want to
 * know. Always: at the interval.
 */
export type RefetchPolicy = 'Never' | 'Triggered' | 'Always'

export interface FetchQuestion<T> {
  readonly type: 'git' | 'helm'
  readonly known: Map<string, FetchState<T>>
  readonly key: string
  readonly again: RefetchPolicy
  /** Its result does not count once the signal is aborted: it is asked again. */
  readonly work: (signal: AbortSignal) => Promise<Result<T, SourceFailure>>
}

/** Triggers closer together than this are one. */
const TRIGGER_MS = 5000

/** An exception is a failure of its source, and of no other. */
async function worked<T>(
  env: Pick<Env, 'log'>,
  work: () => Promise<Result<T, SourceFailure>>,
): Promise<Result<T, SourceFailure>> {
  try {
    return await work()
  } catch (e) {
    env.log.error('a source failed by a bug', { err: String((e as Error).stack ?? e) })
    return err(fault('InternalError', { error: bugText(e) }, true))
  }
}

export class SourcePoller {
  private readonly env: Env
  private readonly jobs: JobPool
  private readonly askers = new Map<string, { readonly trigger: string; readonly since: number }>()

  constructor(env: Env, wake: (who: string) => void) {
    this.env = env
    this.jobs = new JobPool(env, wake)
  }

  get idle(): boolean {
    return this.jobs.idle
  }

  /** Whoever asked is gone. */
  forget(who: string): void {
    this.askers.delete(who)
  }

  look<T>(question: FetchQuestion<T>, asking: Requester): FetchResult<T> {
    const last = question.known.get(question.key)
    const since = this.askedSince(asking)
    const dueInMs = last ? this.dueInMs(last, since, question.again, asking) : 0
    if (dueInMs <= 0) this.ask(question, asking)
    const again = Number.isFinite(dueInMs) && dueInMs > 0 ? { againInMs: dueInMs } : {}
    // An answer from before the question was put may be the old one.
    if (!last || (last.at < since && !(question.again === 'Never' && last.result.ok)))
      return { state: 'Working', ...again, ...this.before(question.key) }
    return last.result.ok
      ? { state: 'Known', value: last.result.value, ...again }
      : { state: 'Failed', failure: last.result.error, ...again }
  }

  private ask<T>({ type, known, key, work }: FetchQuestion<T>, asking: Requester): void {
    const failed = known.get(key)?.failures ?? 0
    this.jobs.run(key, asking, async (signal) => {
      const at = this.env.clock.steady()
      const result = await worked(this.env, () => work(signal))
      if (signal.aborted) return
      const counted = { type, result: result.ok ? 'success' : 'error' }
      this.env.meters.count('lockstep_source_fetches_total', counted)
      const failures = result.ok ? 0 : failed + 1
      const waitMs = result.ok ? asking.intervalMs : this.retryMs(result.error, failures, asking.intervalMs)
      known.set(key, { result, at, failures, waitMs, credentials: asking.credentials })
    })
  }

  private before(key: string): { readonly before?: JobsBefore } {
    const before = this.jobs.before(key)
    return before ? { before } : {}
  }

  /** When this asker first came with this trigger. */
  private askedSince({ who, trigger }: Requester): number {
    const known = this.askers.get(who)
    if (known?.trigger === trigger) return known.since
    const since = this.env.clock.steady()
    this.askers.set(who, { trigger, since })
    return since
  }

  /** Milliseconds until it is asked for again; 0 and below: now. */
  private dueInMs<T>(
    last: FetchState<T>,
    since: number,
    again: RefetchPolicy,
    { credentials }: Requester,
  ): number {
    const age = this.env.clock.steady() - last.at
    const isStill = again === 'Never' || (again === 'Triggered' && last.at >= since)
    if (isStill && last.result.ok) return Number.POSITIVE_INFINITY
    const hasOthers = credentials !== undefined && credentials !== last.credentials
    const isOutdated = last.at < since || (!last.result.ok && hasOthers)
    return (isOutdated ? Math.min(TRIGGER_MS, last.waitMs) : last.waitMs) - age
  }

  /** What may end by itself is tried again soon, and ever more rarely; the rest at the interval. */
  private retryMs(failure: SourceFailure, failures: number, intervalMs: number): number {
    if (failure.retryAfterMs !== undefined) return failure.retryAfterMs
    return failure.transient ? Math.min(intervalMs, backoffMs(failures - 1, this.env.random)) : intervalMs
  }
}
