/** Starts controllers again in the process after an exception that belongs to no cluster, object or source. */
import { type Cancel, type Env, supervise, supervised } from '@lockstep/kube/env'
import { HubCacheError } from '../runtime/index.ts'
import type { Manager } from './manager.ts'

/** Milliseconds until controllers start again. */
const PAUSE_MS = 1000

/** Exceptions of caches of the hub in `HUB_MS`, until another process should lead. */
const MOST_OF_HUB = 5
const HUB_MS = 60_000
/** Other exceptions in `OTHER_MS`, until the process ends. */
export const MOST_OF_OTHERS = 3
const OTHER_MS = 10 * 60_000

type IncidentScope = 'hub' | 'process'

/** `Standby`: another process should lead. `Exit`: the process must end. */
type IncidentStep = 'Restart' | 'Standby' | 'Exit'

/** Exceptions of one process that belong to no smaller scope. */
export class Incidents {
  private readonly times: Readonly<Record<IncidentScope, number[]>> = { hub: [], process: [] }

  /** Adds an exception at a steady time in milliseconds. Returns the step that follows. */
  add(scope: IncidentScope, at: number): IncidentStep {
    const times = this.times[scope]
    times.push(at)
    const within = (ms: number): number => times.filter((t) => t > at - ms).length
    if (scope === 'hub') return within(HUB_MS) >= MOST_OF_HUB ? 'Standby' : 'Restart'
    return within(OTHER_MS) >= MOST_OF_OTHERS ? 'Exit' : 'Restart'
  }
}

export interface SupervisedEnd {
  readonly step: Exclude<IncidentStep, 'Restart'>
  readonly error: unknown
}

/** Controllers that run, and the connection that they have to themselves. */
export interface RunningManager {
  readonly manager: Manager
  /** Ends all requests in flight. */
  close(): Promise<void>
}

/** Controllers of one process, through all their restarts. */
export class SupervisedManager {
  /** Resolves when the controllers do not start again by themselves. */
  readonly ended: Promise<SupervisedEnd>
  private readonly env: Env
  private readonly incidents: Incidents
  private readonly start: (env: Env) => RunningManager
  private running: RunningManager | undefined
  private pause: Cancel | undefined
  private finish: (end: SupervisedEnd) => void = () => {}
  private isOver = false

  constructor(env: Env, incidents: Incidents, start: (env: Env) => RunningManager) {
    this.env = env
    this.incidents = incidents
    this.start = start
    this.ended = new Promise((resolve) => {
      this.finish = resolve
    })
    this.begin()
  }

  /** Undefined: the controllers start in a moment, or do not start again. */
  get current(): Manager | undefined {
    return this.running?.manager
  }

  /** Takes an exception that no supervisor of a smaller scope received. */
  failed(error: unknown): void {
    if (this.isOver) return
    const { clock, log, meters } = this.env
    const [scope, cause] =
      error instanceof HubCacheError ? (['hub', error.cause] as const) : (['process', error] as const)
    const step = this.incidents.add(scope, clock.steady())
    meters.count('lockstep_exceptions_total', { scope })
    log.error('the controllers failed by a bug', {
      scope,
      step,
      err: String((cause as Error)?.stack ?? cause),
    })
    supervise(this.env, () => this.close())
    if (step !== 'Restart') {
      this.isOver = true
      this.finish({ step, error: cause })
      return
    }
    this.pause ??= clock.at(clock.steady() + PAUSE_MS, () => {
      this.pause = undefined
      this.begin()
    })
  }

  /** Starts no work any more, also not after an exception. */
  drain(): void {
    this.isOver = true
    this.pause?.()
    this.running?.manager.drain()
  }

  /** Completes the records of what the controllers have written. */
  async record(): Promise<void> {
    await this.running?.manager.record()
  }

  /** Resolves when all requests of the controllers have ended. */
  async stop(): Promise<void> {
    this.isOver = true
    this.pause?.()
    await this.close()
  }

  private begin(): void {
    let isCurrent = true
    const env = supervised(this.env, {
      failed: (error) => {
        if (!isCurrent) return
        isCurrent = false
        this.failed(error)
      },
    })
    try {
      this.running = this.start(env)
    } catch (error) {
      env.supervisor.failed(error)
    }
  }

  private async close(): Promise<void> {
    const { running } = this
    this.running = undefined
    try {
      running?.manager.stop()
    } finally {
      await running?.close()
    }
  }
}
