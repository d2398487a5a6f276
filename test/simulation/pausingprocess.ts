/**
 * A program in the simulation that stands still from one of its writes on, as a process does that is stopped, or whose
 * machine is out of memory. Its clocks go on; nothing of it runs, and what was due meanwhile is done when it wakes:
 * timers first, then answers.
 */
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Connection, NetFailure, NetRequest, NetResponse } from '../../packages/kube/src/env/net.ts'
import { err, ok, type Result } from '../../packages/kube/src/env/result.ts'
import type { SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'

/** A request is given up after so long, sent or not. */
const TIMEOUT_MS = 30_000
const DELAY_MS = 30
const LATE: NetFailure = { phase: 'deadline', detail: 'no answer within 30s' }

export interface ProcessPause {
  /** Which of its writes it is, those of its Lease not counted. */
  readonly write: number
  readonly ms: number
  /** That write has left the machine, has left it and is held up on its way for `slowMs`, or has not left it yet. */
  readonly fate: 'sent' | 'slow' | 'unsent'
  /** Less than a request may take. */
  readonly slowMs: number
}

export class PausingProcess {
  readonly env: Env
  /** Virtual times. */
  pausedAt: number | undefined
  wokeAt: number | undefined
  /** How the write was answered at which it fell asleep, as an HTTP status. */
  status: number | undefined
  private readonly sim: SimEnv
  private readonly agent: string
  private readonly pause: ProcessPause | undefined
  private readonly random: Env['random']
  private readonly due: (() => void)[] = []
  private sleeping: Promise<void> | undefined
  private hasEnded = false
  private writes = 0

  constructor(sim: SimEnv, name: string, pause?: ProcessPause) {
    this.sim = sim
    this.agent = `lockstep-controller/${name}`
    this.pause = pause
    this.random = sim.random.fork(name)
    this.env = {
      ...sim,
      random: this.random,
      clock: {
        now: () => sim.clock.now(),
        steady: () => sim.clock.steady(),
        at: (ms, fn) => sim.clock.at(ms, () => this.fire(fn)),
      },
      net: {
        ...sim.net,
        connect: (target, by) => this.connect(sim.net.connect(target, by), sim.net.connect(target, by)),
      },
    }
  }

  /** The process is gone; what it has sent arrives all the same. */
  end(): void {
    this.hasEnded = true
  }

  private fire(fn: () => void): void {
    if (this.hasEnded) return
    if (this.sleeping) this.due.push(fn)
    else fn()
  }

  private fallAsleep(ms: number): void {
    const { clock } = this.sim
    this.pausedAt = clock.steady()
    this.sleeping = sleep(clock, ms).then(() => {
      this.sleeping = undefined
      this.wokeAt = clock.steady()
      for (const fn of this.due.splice(0)) this.fire(fn)
    })
  }

  /** Whoever closes a connection does not call back what has left. */
  private connect(short: Connection, long: Connection): Connection {
    let isClosed = false
    return {
      request: (r) => {
        if (isClosed) return Promise.resolve(err<NetFailure>({ phase: 'connect', detail: 'closed' }))
        const named = { ...r, headers: { ...r.headers, 'user-agent': this.agent } }
        return r.path.includes('watch=true') ? this.watch(long, named) : this.ask(short, named)
      },
      close: () => {
        isClosed = true
        return long.close()
      },
    }
  }

  private async ask(inner: Connection, r: NetRequest): Promise<Result<NetResponse, NetFailure>> {
    const { clock } = this.sim
    const begun = clock.steady()
    const isLate = (): boolean => clock.steady() - begun >= TIMEOUT_MS
    const wasAsleep = this.sleeping !== undefined
    const isIt = !wasAsleep && isCounted(r) && ++this.writes === this.pause?.write
    if (isIt) this.fallAsleep(this.pause!.ms)
    if (wasAsleep || (isIt && this.pause!.fate === 'unsent')) {
      await this.sleeping
      if (isLate()) return err(LATE)
    }
    await sleep(
      clock,
      isIt && this.pause!.fate === 'slow' ? this.pause!.slowMs : this.random.next() * DELAY_MS,
    )
    const answer = await inner.request({ ...r, signal: undefined as never })
    if (isIt && answer.ok) this.status = answer.value.status
    await sleep(clock, this.random.next() * DELAY_MS)
    await this.sleeping
    return isLate() ? err(LATE) : answer
  }

  private async watch(inner: Connection, r: NetRequest): Promise<Result<NetResponse, NetFailure>> {
    await this.sleeping
    const answer = await inner.request(r)
    await this.sleeping
    if (!answer.ok) return answer
    const lines = answer.value.lines.bind(answer.value)
    const awake = async (): Promise<void> => this.sleeping
    return ok({
      ...answer.value,
      async *lines() {
        for await (const line of lines()) {
          await awake()
          yield line
        }
      },
    })
  }
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

const isCounted = (r: NetRequest): boolean => WRITES.has(r.method) && !r.path.includes('/leases')
