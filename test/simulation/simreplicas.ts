/**
 * Two replicas of the controller of which each one dies, stands still, or is cut off from the hub, at random: whoever holds
 * the Lease leads. Until calm; then both run, and nothing goes wrong any more.
 */

import type { KubeClient } from '../../packages/kube/src/client/client.ts'
import { createHttpClient } from '../../packages/kube/src/client/httpclient.ts'
import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Connection, NetFailure } from '../../packages/kube/src/env/net.ts'
import { err } from '../../packages/kube/src/env/result.ts'
import { LEASE_TIMES } from '../../packages/kube/src/leaderelection/candidate.ts'
import { type LeaderTerm, startElection } from '../../packages/kube/src/leaderelection/election.ts'
import { MANAGER, SYSTEM_NAMESPACE } from '../../packages/lockstep/src/api/labels.ts'
import { type Manager, startManager } from '../../packages/lockstep/src/controllers/manager/manager.ts'
import type { SimFleet } from '../fleet/simfleet.ts'
import { PausingProcess } from './pausingprocess.ts'
import { type SimProcess, spawn } from './process.ts'
import { chance } from './scenario.ts'

const LEASE = {
  namespace: 'lockstep-system',
  name: 'lockstep-leader',
  manager: MANAGER,
  ownNamespace: SYSTEM_NAMESPACE,
}
const HUB = 'https://hub.test'
const RESTART_MS = 2000
/** What a leader that begins to lead in the middle of things writes until most of it is done. */
const WRITES = 60

export interface SimReplicas {
  /** What has happened to them, by kind. */
  readonly fates: Readonly<Record<ReplicaFate, number>>
  calm(): void
  /** All of them end, and none is started again. */
  stop(): void
}

type ReplicaFate = 'dies' | 'sleeps' | 'is cut off' | 'lives'

/** One start of one replica. */
interface Life {
  readonly env: Env
  end(): void
  calm(): void
}

/** What a process does once it leads. */
export type Manage = (env: Env, client: KubeClient, o: { term: LeaderTerm; identity: string }) => Manager

const work: Manage = (env, client, { term }) => startManager(env, client, { workers: 4, term })

/** A process that stands for election, and works while it leads. Until it leads no more, or never will. */
export async function stand(env: Env, identity: string, manage: Manage = work): Promise<void> {
  const client = () => createHttpClient(env, 'hub', env.net.connect({ url: HUB }, 'operator'))
  const election = startElection(env, client(), { ...LEASE, identity, times: LEASE_TIMES })
  const term = await Promise.race([election.elected, election.ended.then(() => undefined)])
  const manager = term && manage(env, client(), { term, identity })
  await election.ended
  manager?.stop()
}

export function startReplicas(
  fleet: Pick<SimFleet, 'env'>,
  names: readonly string[],
  manage: Manage = work,
): SimReplicas {
  const replicas = new RunningReplica(fleet, manage)
  for (const name of names) replicas.start(name)
  return replicas
}

class RunningReplica implements SimReplicas {
  readonly fates = { dies: 0, sleeps: 0, 'is cut off': 0, lives: 0 }
  private readonly fleet: Pick<SimFleet, 'env'>
  private readonly manage: Manage
  private readonly random: Env['random']
  private readonly lives = new Map<string, Life>()
  private starts = 0
  private isCalm = false
  private hasStopped = false

  constructor(fleet: Pick<SimFleet, 'env'>, manage: Manage) {
    this.fleet = fleet
    this.manage = manage
    this.random = fleet.env.random.fork('replicas')
  }

  stop(): void {
    this.hasStopped = true
    for (const life of this.lives.values()) life.end()
  }

  start(name: string): void {
    if (this.hasStopped) return
    const agent = `${name}-${++this.starts}`
    let isOver = false
    const again = (): void => {
      if (isOver) return
      isOver = true
      const { clock } = this.fleet.env
      clock.at(clock.steady() + RESTART_MS, () => this.start(name))
    }
    const life = this.life(agent, again)
    this.lives.set(name, life)
    void stand(life.env, agent, this.manage).then(() => {
      life.end()
      again()
    })
  }

  calm(): void {
    this.isCalm = true
    for (const life of this.lives.values()) life.calm()
  }

  private life(agent: string, died: () => void): Life {
    const { random } = this
    const fate = this.isCalm ? 'lives' : fateOf(random)
    this.fates[fate]++
    if (fate === 'sleeps') return this.sleeper(agent)
    const at = 1 + Math.floor(random.next() * WRITES)
    const crash = fate === 'dies' ? { crash: { write: at, after: chance(random, 0.5) } } : {}
    const faults = { delayMs: 30, lossRate: 0.01, dropRate: 0.01, ...crash }
    const process = spawn(this.fleet.env, agent, faults)
    if (this.isCalm) process.calm()
    process.onDeath(died)
    const line = new ReplicaLine(process)
    if (fate === 'is cut off') this.cut(line)
    return {
      env: named({ ...process.env, net: line.net }, agent),
      end: () => process.kill(),
      calm() {
        process.calm()
        line.mend()
      },
    }
  }

  private sleeper(agent: string): Life {
    const { random } = this
    const write = 1 + Math.floor(random.next() * WRITES)
    const fate = pick(random, ['sent', 'slow', 'unsent'] as const)
    // Shorter than the Lease lasts, or so long that the other one leads.
    const ms = 1000 * 40 ** random.next()
    const process = new PausingProcess(this.fleet.env, agent, {
      write,
      fate,
      ms,
      slowMs: random.next() * 20_000,
    })
    return { env: process.env, end: () => process.end(), calm() {} }
  }

  private cut(line: ReplicaLine): void {
    const { clock } = this.fleet.env
    const from = clock.steady() + this.random.next() * 60_000
    clock.at(from, () => !this.isCalm && line.cut())
    clock.at(from + 5000 + this.random.next() * 60_000, () => line.mend())
  }
}

const pick = <T>(random: Env['random'], list: readonly T[]): T =>
  list[Math.floor(random.next() * list.length)]!

function fateOf(random: Env['random']): ReplicaFate {
  const x = random.next()
  return x < 0.45 ? 'dies' : x < 0.65 ? 'sleeps' : x < 0.85 ? 'is cut off' : 'lives'
}

/** Whoever reads the commits knows who has made them, on clusters too. */
function named(env: Env, agent: string): Env {
  const connect: Env['net']['connect'] = (target, by) => {
    const inner = env.net.connect(target, by)
    return {
      request: (r) =>
        inner.request({ ...r, headers: { ...r.headers, 'user-agent': `lockstep-controller/${agent}` } }),
      close: () => inner.close(),
    }
  }
  return { ...env, net: { ...env.net, connect } }
}

const CUT: NetFailure = { phase: 'connect', detail: 'connect EHOSTUNREACH (simulated)' }

/** The way of one process to the hub. */
class ReplicaLine {
  readonly net: Env['net']
  private isCut = false
  private readonly open = new Set<Connection>()

  constructor({ env }: SimProcess) {
    this.net = {
      ...env.net,
      connect: (target, by) => {
        if (!target.url.startsWith(HUB)) return env.net.connect(target, by)
        return this.connection(() => env.net.connect(target, by))
      },
    }
  }

  /** What is under way on it, watches too, breaks. */
  cut(): void {
    this.isCut = true
    for (const c of this.open) void c.close()
    this.open.clear()
  }

  mend(): void {
    this.isCut = false
  }

  private connection(connect: () => Connection): Connection {
    let inner: Connection | undefined
    return {
      request: async (r) => {
        if (this.isCut) return err(CUT)
        if (!inner || !this.open.has(inner)) {
          inner = connect()
          this.open.add(inner)
        }
        return inner.request(r)
      },
      close: async () => {
        if (inner) this.open.delete(inner)
        await inner?.close()
      },
    }
  }
}
