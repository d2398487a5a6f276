/** Takes part in an election until it is over: reads and writes one Lease as `candidate.ts` says. */

import type { KubeClient, KubeResult } from '../client/client.ts'
import { type RequestError, requestErrorText } from '../client/requesterror.ts'
import type { Env } from '../env/env.ts'
import { ProblemLog } from '../env/log/problemlog.ts'
import { unreachable } from '../env/result.ts'
import { sleep } from '../env/sleep.ts'
import { type Lease, leaseKind, namespaceKind } from '../kinds/types.ts'
import type { Stored } from '../object/kind.ts'
import type { Key } from '../object/objectref.ts'
import {
  afterFailure,
  afterRead,
  afterWrite,
  holderOf,
  isHeld,
  type LeaseCandidate,
  type LeaseLoss,
  type LeaseSpec,
  type LeaseTimes,
  leftMs,
  type Moment,
  type Move,
  newCandidate,
  nextMove,
  releasedSpec,
} from './candidate.ts'

/** The right to write, as those see it who write. It is lost once, for good. */
export interface LeaderTerm {
  readonly generation: number
  /** A write may begin now. */
  readonly isHeld: boolean
  /** Milliseconds before another process may begin to write; 0: this one may not. */
  readonly leftMs: number
}

export type TermEnd = LeaseLoss | 'Stopped'

export interface Election {
  /** This process leads. Undefined: it was stopped before. */
  readonly elected: Promise<LeaderTerm | undefined>
  /** It leads no more, or never will. */
  readonly ended: Promise<TermEnd>
  /** Gives the Lease back, so that the next one need not wait. What this process has begun to write has to be over. */
  stop(): Promise<void>
}

export interface ElectionOptions {
  readonly namespace: string
  readonly name: string
  /** Whose fields the Lease is. */
  readonly manager: string
  /** A Lease in this one makes it where it is missing. */
  readonly ownNamespace: string
  /** Of this process, and of no other. */
  readonly identity: string
  readonly times: LeaseTimes
  /** False: what would lead stands still. */
  readonly isAlive?: () => boolean
  /** The Lease is ours from then on, for a while. */
  readonly renewed?: (generation: number, at: Moment) => void
  /** The Lease was read or written. */
  readonly answered?: () => void
}

export function startElection(env: Env, client: KubeClient, options: ElectionOptions): Election {
  return new LeaseTaking(env, client, options)
}

const WHY = { purpose: 'lease' } as const

class LeaseTaking implements Election {
  readonly elected: Promise<LeaderTerm | undefined>
  readonly ended: Promise<TermEnd>
  private readonly env: Env
  private readonly client: KubeClient
  private readonly options: ElectionOptions
  private readonly key: Key
  private readonly write: { readonly purpose: 'lease'; readonly manager: string }
  private readonly stopping = new AbortController()
  private candidate: LeaseCandidate
  private begin: (term: LeaderTerm | undefined) => void = () => {}
  private isOver = false
  private readonly problems: ProblemLog
  private holder: string | undefined

  constructor(env: Env, client: KubeClient, options: ElectionOptions) {
    this.env = env
    this.problems = new ProblemLog(env)
    this.client = client
    this.options = options
    this.key = { namespace: options.namespace, name: options.name }
    this.write = { ...WHY, manager: options.manager }
    this.candidate = newCandidate(options.identity, options.times)
    this.elected = new Promise((resolve) => {
      this.begin = resolve
    })
    this.ended = this.run()
  }

  async stop(): Promise<void> {
    this.isOver = true
    this.stopping.abort()
    if ((await this.ended) !== 'Stopped' || !this.candidate.tenure) return
    const found = await this.client.get(leaseKind, this.key, WHY)
    if (!found.ok || holderOf(found.value) !== this.options.identity) return
    const spec = releasedSpec(found.value.spec, this.now())
    await this.client.update(leaseKind, { ...found.value, spec }, this.write)
  }

  private async run(): Promise<TermEnd> {
    const { signal } = this.stopping
    while (!signal.aborted) {
      const now = this.now()
      const move = nextMove(this.candidate, now, this.options.isAlive?.() ?? true)
      if (move.type === 'lost') {
        if (move.why !== 'Refused')
          this.log('warn', 'leads no more', { reason: 'LeadershipLost', cause: move.why })
        return this.over(move.why)
      }
      await this.perform(move, now)
    }
    return this.over('Stopped')
  }

  private over(end: TermEnd): TermEnd {
    this.isOver = true
    this.begin(undefined)
    return end
  }

  private async perform(move: Exclude<Move, { type: 'lost' }>, now: Moment): Promise<void> {
    const call = { ...this.write, signal: this.stopping.signal }
    switch (move.type) {
      case 'wait':
        return sleep(this.env.clock, move.ms, this.stopping.signal)
      case 'read':
        return this.read()
      case 'create': {
        const body = leaseOf(this.key, move.spec)
        return this.wrote(await this.client.create(leaseKind, body, call), now)
      }
      case 'replace':
        return this.wrote(await this.client.update(leaseKind, { ...move.lease, spec: move.spec }, call), now)
      default:
        return unreachable(move)
    }
  }

  private async read(): Promise<void> {
    const call = { ...WHY, signal: this.stopping.signal }
    const found = await this.client.get(leaseKind, this.key, call)
    if (!found.ok && found.error.kind !== 'NotFound') return this.failed(found.error)
    const lease = found.ok ? found.value : undefined
    this.candidate = afterRead(this.candidate, lease, this.now())
    this.answered()
    const holder = holderOf(lease)
    if (holder === this.holder) return
    this.holder = holder
    if (holder !== '' && holder !== this.options.identity)
      this.log('info', 'waits', { reason: 'Standby', leader: holder })
  }

  private async wrote(done: KubeResult<Stored<Lease>>, asked: Moment): Promise<void> {
    if (!done.ok) return this.failed(done.error)
    const isNew = !this.candidate.tenure
    this.candidate = afterWrite(this.candidate, done.value, asked)
    this.answered()
    const { generation, renewed } = this.candidate.tenure!
    this.options.renewed?.(generation, renewed)
    if (!isNew) return
    this.holder = this.options.identity
    this.log('info', 'leads', { reason: 'Leading', generation })
    this.begin(this.term(generation))
  }

  private answered(): void {
    if (this.candidate.refusedSince === undefined)
      this.problems.end('lease', 'LeaseUsable', 'the lease can be used again', this.subject)
    this.options.answered?.()
  }

  private term(generation: number): LeaderTerm {
    const held = (): boolean => {
      const { tenure, times } = this.candidate
      return !this.isOver && tenure !== undefined && isHeld(tenure, times, this.now())
    }
    const left = (): number => {
      const { tenure, times } = this.candidate
      return held() ? leftMs(tenure!, times, this.now()) : 0
    }
    return {
      generation,
      get isHeld() {
        return held()
      },
      get leftMs() {
        return left()
      },
    }
  }

  private async failed(error: RequestError): Promise<void> {
    const { ownNamespace } = this.options
    if (error.kind === 'NotFound' && error.namespace === ownNamespace && (await this.makeNamespace())) return
    const isRefused = error.kind === 'Unauthorized' || error.kind === 'Forbidden'
    this.candidate = afterFailure(this.candidate, this.now(), isRefused)
    // Somebody was faster: that is what elections are for.
    if (error.kind === 'Aborted' || error.kind === 'FenceLost' || error.kind === 'AlreadyExists') return
    const facts = Object.assign({ cause: error.kind, err: requestErrorText(error) }, this.subject)
    const reason = isRefused ? 'LeaseRefused' : 'LeaseUnreachable'
    this.problems.begin('lease', reason, 'the lease cannot be used', facts)
  }

  /** `install` makes it; a hub that has only our kinds need not have it yet. */
  private async makeNamespace(): Promise<boolean> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.options.ownNamespace } }
    return (await this.client.create(namespaceKind, body, { ...this.write, signal: this.stopping.signal })).ok
  }

  private log(level: 'info' | 'warn', what: string, fields: Readonly<Record<string, string | number>>): void {
    this.env.log[level](what, Object.assign({}, this.subject, fields))
  }

  private get subject() {
    const { namespace, name, identity } = this.options
    return { lease: `${namespace}/${name}`, identity }
  }

  private now(): Moment {
    const { clock } = this.env
    return { steady: clock.steady(), wall: clock.now() }
  }
}

const leaseOf = (metadata: Key, spec: LeaseSpec): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: leaseKind.kind,
  metadata,
  spec,
})
