/**
 * Work that takes long, beside the work queue: whoever needs its result looks for it, and is woken when it is there. What
 * is asked for by several is done once. Namespaces take turns: slow servers of one hold up only those who wait for them.
 */
import { type Cancel, type Env, supervise } from '@lockstep/kube/env'

/** Slots for all namespaces, and for one of them. */
const AT_ONCE = 8
const OF_ONE = 6
/** Milliseconds that a job may run at first although others wait for its slot. */
const FIRST_SLICE_MS = 30_000

/** Module that asks for a job. */
export interface JobAsker {
  readonly who: string
  readonly namespace: string
  /** Milliseconds after which the work ends by itself. */
  readonly timeoutMs: number
}

/** Jobs that run while another one waits, and the namespace that has most of them. */
export interface JobsBefore {
  readonly running: number
  readonly most: number
  readonly namespace: string
}

interface Job {
  readonly namespace: string
  readonly timeoutMs: number
  readonly waiters: Set<string>
  readonly work: (signal: AbortSignal) => Promise<void>
  sliceMs: number
  /** By the steady clock; undefined: it waits for its turn. */
  startedAt: number | undefined
  stop: AbortController
}

export class JobPool {
  private readonly env: Pick<Env, 'clock' | 'supervisor'>
  private readonly wake: (who: string) => void
  /** Those that run and those that wait, by key; the next one first. */
  private readonly jobs = new Map<string, Job>()
  /** The namespace that has not begun a job for longest is the first. */
  private readonly turns = new Map<string, number>()
  private turn = 0
  private timer: Cancel | undefined

  /** `wake` is called with each `who` that waited. */
  constructor(env: Pick<Env, 'clock' | 'supervisor'>, wake: (who: string) => void) {
    this.env = env
    this.wake = wake
  }

  /** Nothing runs and nothing waits for its turn. */
  get idle(): boolean {
    return this.jobs.size === 0
  }

  /**
   * Starts the work, or joins it; whoever asked is woken when it has ended. Work whose signal was aborted is done again from its
   * beginning, after others had their turn.
   */
  run(
    key: string,
    { who, namespace, timeoutMs }: JobAsker,
    work: (signal: AbortSignal) => Promise<void>,
  ): void {
    const known = this.jobs.get(key)
    if (known) {
      known.waiters.add(who)
      return
    }
    this.jobs.set(key, {
      namespace,
      timeoutMs,
      waiters: new Set([who]),
      work,
      sliceMs: Math.min(FIRST_SLICE_MS, timeoutMs),
      startedAt: undefined,
      stop: new AbortController(),
    })
    this.fill()
  }

  /** Undefined: the job runs, or there is none. */
  before(key: string): JobsBefore | undefined {
    if (this.jobs.get(key)?.startedAt !== undefined || !this.jobs.has(key)) return undefined
    const counts = this.counts()
    const [namespace = '', most = 0] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? []
    return { running: sum(counts), most, namespace }
  }

  /** Running jobs by namespace. */
  private counts(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { namespace, startedAt } of this.jobs.values())
      if (startedAt !== undefined) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
    return counts
  }

  private fill(): void {
    const counts = this.counts()
    while (sum(counts) < AT_ONCE) {
      const next = this.next(counts)
      if (!next) break
      const [key, job] = next
      counts.set(job.namespace, (counts.get(job.namespace) ?? 0) + 1)
      this.turns.set(job.namespace, ++this.turn)
      this.start(key, job)
    }
    this.arm()
  }

  /** The first job of the namespace that has waited longest for a turn. */
  private next(counts: ReadonlyMap<string, number>): [string, Job] | undefined {
    let found: [string, Job] | undefined
    const turnOf = (job: Job): number => this.turns.get(job.namespace) ?? 0
    for (const [key, job] of this.jobs) {
      if (job.startedAt !== undefined || (counts.get(job.namespace) ?? 0) >= OF_ONE) continue
      if (!found || turnOf(job) < turnOf(found[1])) found = [key, job]
    }
    return found
  }

  private start(key: string, job: Job): void {
    job.startedAt = this.env.clock.steady()
    job.stop = new AbortController()
    const { signal } = job.stop
    supervise(this.env, async () => {
      try {
        await job.work(signal)
      } finally {
        this.jobs.delete(key)
        if (signal.aborted) this.again(key, job)
        else for (const who of job.waiters) this.wake(who)
        this.fill()
      }
    })
  }

  /** Behind all that wait, and with more time the next time. */
  private again(key: string, job: Job): void {
    job.startedAt = undefined
    job.sliceMs = Math.min(2 * job.sliceMs, job.timeoutMs)
    this.jobs.set(key, job)
  }

  /** Until the first slice of a namespace over its share is over. */
  private arm(): void {
    this.timer?.()
    this.timer = undefined
    const longest = this.longestOverShare()
    if (!longest) return
    this.timer = this.env.clock.at(longest.startedAt! + longest.sliceMs, () => {
      this.longestOverShare()?.stop.abort()
      this.arm()
    })
  }

  /** The job whose slice is over first, of namespaces with more than their share, while another namespace waits. */
  private longestOverShare(): Job | undefined {
    const counts = this.counts()
    const all = [...this.jobs.values()]
    const share = Math.ceil(AT_ONCE / new Set(all.map((j) => j.namespace)).size)
    const isUnder = (job: Job): boolean => (counts.get(job.namespace) ?? 0) < share
    if (sum(counts) < AT_ONCE || !all.some((j) => j.startedAt === undefined && isUnder(j))) return undefined
    const over = all.filter(
      (j) => j.startedAt !== undefined && !j.stop.signal.aborted && (counts.get(j.namespace) ?? 0) > share,
    )
    const endOf = (j: Job): number => j.startedAt! + j.sliceMs
    return over.sort((a, b) => endOf(a) - endOf(b))[0]
  }
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0)
