/** A program in the simulation that can die at any instant: its timers stop, what it had in flight never answers. */
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Connection, NetFailure, NetRequest } from '../../packages/kube/src/env/net.ts'
import { err } from '../../packages/kube/src/env/result.ts'
import type { SimEnv } from '../../packages/kube/src/env/sim/simenv.ts'
import { sleep } from '../../packages/kube/src/env/sleep.ts'

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export interface FaultPlan {
  /** Most milliseconds that a request, and its answer, are under way. */
  readonly delayMs: number
  /** Share of requests whose answer is lost, after the server acted. */
  readonly lossRate: number
  /** Share of requests that never arrive. */
  readonly dropRate: number
  /** Dies at its n-th write, of those that `of` means, before or after the server has it; undefined: lives. */
  readonly crash?: {
    readonly write: number
    readonly after: boolean
    readonly of?: (request: NetRequest) => boolean
    /** What is read counts, too; watches never do. */
    readonly reads?: boolean
    /** Lives on, and that write alone goes wrong. */
    readonly instead?: Mishap
  }
}

/** It never arrives; it arrives and its answer is lost; it is under way for longer than a leader may be silent. */
export type Mishap = 'unsent' | 'unanswered' | 'late'
const LATE_MS = 20_000
const REFUSED: NetFailure = { phase: 'connect', detail: 'connect ECONNREFUSED (simulated)' }
const LOST: NetFailure = { phase: 'receive', detail: 'read ECONNRESET (simulated)' }

export interface SimProcess {
  readonly env: Env
  readonly alive: boolean
  kill(): void
  onDeath(fn: () => void): void
  /** It has come to the write at which something happens. */
  readonly isStruck: boolean
  /** From now on nothing goes wrong any more. */
  calm(): void
}

/** A new one each time: one for all would hold on to everything that ever waited for it. */
const never = (): Promise<never> => new Promise(() => {})

export function spawn(env: SimEnv, name: string, plan: FaultPlan): SimProcess {
  const random = env.random.fork(name)
  let alive = true
  let calm = false
  let writes = 0
  let struck = false
  const listeners: (() => void)[] = []
  const die = (): void => {
    if (!alive) return
    alive = false
    for (const fn of listeners) fn()
  }
  const pause = () => (calm ? Promise.resolve() : sleep(env.clock, Math.floor(random.next() * plan.delayMs)))
  const request = async (inner: Connection, r: NetRequest) => {
    const isWatch = r.path.includes('watch=true')
    const isCounted = WRITES.has(r.method) || (plan.crash?.reads === true && !isWatch)
    const isHit = isCounted && (plan.crash?.of?.(r) ?? true) && !calm && plan.crash?.write === ++writes
    struck ||= isHit
    const mishap = isHit ? plan.crash?.instead : undefined
    const isFatal = isHit && mishap === undefined
    await pause()
    if (mishap === 'late') await sleep(env.clock, LATE_MS)
    if (!alive) return never()
    if (mishap === 'unsent') return err(REFUSED)
    if (isFatal && !plan.crash!.after) {
      die()
      return never()
    }
    if (!calm && random.next() < plan.dropRate) return err(REFUSED)
    const answer = await inner.request(r)
    if (isFatal) die()
    if (!alive) return never()
    if (!isWatch) await pause()
    if (!alive) return never()
    if (mishap === 'unanswered' || (!calm && !isWatch && random.next() < plan.lossRate)) return err(LOST)
    return answer
  }
  return {
    env: {
      ...env,
      clock: {
        now: () => env.clock.now(),
        steady: () => env.clock.steady(),
        at: (ms, fn) => env.clock.at(ms, () => alive && fn()),
      },
      random,
      net: {
        ...env.net,
        connect(target, by) {
          const inner = env.net.connect(target, by)
          listeners.push(() => void inner.close())
          return { request: (r) => request(inner, r), close: () => inner.close() }
        },
      },
    },
    get alive() {
      return alive
    },
    get isStruck() {
      return struck
    },
    kill: die,
    onDeath: (fn) => void listeners.push(fn),
    calm() {
      calm = true
    },
  }
}
