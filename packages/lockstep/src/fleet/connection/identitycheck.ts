/**
 * That the cluster which answers is the one that this connection began with: its `kube-system` is read before anything
 * else, and again after each break (reliability F10, fleet 3.4). Until then nothing else is sent, so that nobody but it
 * tries whether a cluster is back.
 */

import type { KubeClient, RequestError } from '@lockstep/kube/client'
import { type Cancel, type Env, supervise } from '@lockstep/kube/env'
import { namespaceKind } from '@lockstep/kube/kinds'
import { backoffMs } from '@lockstep/kube/workqueue'

/** A cluster that is back is noticed within so many milliseconds, and a fifth. */
const MOST_WAIT_MS = 25_000
/** The first tries come soon by themselves. */
const SOON = 3
/** Whoever knocks waits so long for an answer, and so many may wait at once: where nothing comes back a connection takes long to fail. */
const KNOCK_MS = 10_000
const MOST_KNOCKS = 4

export interface IdentityCheckEvents {
  /** Until it may be asked who answers. */
  turn(): Promise<void>
  /** Somebody waits for that who cannot go on meanwhile. */
  urgent(): void
  /** It is who it was, or is known for the first time. `waited`: something was not sent meanwhile. */
  recognised(waited: boolean): void
  failed(error: RequestError): void
  /** Somebody else answers; this connection is of no use any more. */
  another(uid: string): void
  /** Milliseconds until it may be tried once more whether it is back; undefined: nobody waits for that. */
  knock(): number | undefined
}

/** What is known before the first answer: on the connection before this one somebody else was met. */
export interface PreviousAnswer {
  readonly uid: string
  /** In place of whom. */
  readonly was: string
  /** How often: each time it is waited longer before it is believed. */
  readonly times: number
}

export class IdentityCheck {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly events: IdentityCheckEvents
  private known: string | undefined
  /** Times at which the connection may have come to lead elsewhere. */
  private breaks = 1
  /** As many had there been when the last answer that counts was asked for. */
  private sureOf = 0
  private failures = 0
  private failure: RequestError | undefined
  private asking: Promise<void> | undefined
  private next: Cancel | undefined
  private waiting: (() => void)[] = []
  private nextKnock: Cancel | undefined
  private knocks = 0
  /** Something was refused since it was last recognised. */
  private hasRefused = false
  private stopped = false

  constructor(env: Env, client: KubeClient, events: IdentityCheckEvents, met?: PreviousAnswer) {
    this.env = env
    this.client = client
    this.events = events
    if (!met) return
    this.known = met.uid
    this.failure = anotherError(client.cluster, met.uid, met.was)
    this.failures = met.times
    this.askLater()
  }

  /** uid of the `kube-system` namespace; undefined until it was read. */
  get uid(): string | undefined {
    return this.known
  }

  get isSure(): boolean {
    return !this.stopped && this.sureOf === this.breaks
  }

  /** A request came to nothing: whoever answers the next one may be another. */
  broke(): void {
    this.breaks++
  }

  /** This uid was read in some other way, on another connection. False: somebody else answers there. */
  read(uid: string): boolean {
    if (uid === this.known) return true
    this.broke()
    return false
  }

  /** Resolves once it is recognised, or with an error when the signal fires. */
  async wait(signal: AbortSignal): Promise<RequestError | undefined> {
    while (!this.isSure && !signal.aborted) {
      this.ask()
      await new Promise<void>((resolve) => {
        const done = (): void => {
          signal.removeEventListener('abort', done)
          resolve()
        }
        signal.addEventListener('abort', done, { once: true })
        this.waiting.push(done)
      })
    }
    return this.isSure ? undefined : this.aborted()
  }

  /** Why nothing may be sent; undefined: it is recognised. Waits for an answer that is on its way, and no longer. */
  async refusal(): Promise<RequestError | undefined> {
    while (!this.isSure) {
      if (this.stopped) return this.aborted()
      this.ask()
      this.events.urgent()
      await this.asking
      if (this.isSure || !this.failure) continue
      this.hasRefused = true
      return this.failure
    }
    return undefined
  }

  /** Who asked does not wait any more. */
  aborted(): RequestError {
    return { ...notSent(this.client.cluster), kind: 'Aborted' }
  }

  /** Something has happened that may help: it is asked now. */
  hurry(): void {
    if (this.isSure) return
    this.next?.()
    this.next = undefined
    this.ask()
  }

  stop(): void {
    this.stopped = true
    this.next?.()
    this.nextKnock?.()
  }

  /** One request, however many want to know; none while the next try is yet to come. */
  private ask(): void {
    if (this.asking || this.next || this.stopped) return
    const asking = this.askOnce().finally(() => {
      this.asking = undefined
    })
    this.asking = asking
    supervise(this.env, () => asking)
  }

  private async askOnce(): Promise<void> {
    await this.events.turn()
    if (this.stopped) return
    const at = this.breaks
    const found = await this.client.get(namespaceKind, { name: 'kube-system' }, { purpose: 'identity' })
    if (this.stopped) return
    // Meanwhile it has answered whoever knocked.
    if (!found.ok && this.isSure) return
    if (!found.ok) return this.failed(found.error)
    const { uid } = found.value.metadata
    this.known ??= uid
    this.failure = undefined
    if (uid === this.known) return this.sure(at)
    this.failed(anotherError(this.client.cluster, uid, this.known))
    this.events.another(uid)
  }

  private failed(error: RequestError): void {
    this.failure = error
    this.askLater()
    this.knockLater()
    this.events.failed(error)
  }

  private askLater(): void {
    const { clock, random } = this.env
    this.next?.()
    this.next = clock.at(clock.steady() + backoffMs(this.failures++, random, MOST_WAIT_MS), () => {
      this.next = undefined
      this.ask()
    })
  }

  /** Beside those tries, while somebody waits for it; an answer is all that counts. */
  private knockLater(): void {
    if (this.nextKnock || this.stopped || this.isSure || this.failures < SOON) return
    const ms = this.events.knock()
    if (ms === undefined) return
    const { clock } = this.env
    this.nextKnock = clock.at(clock.steady() + ms, () => {
      this.nextKnock = undefined
      if (this.knocks < MOST_KNOCKS) supervise(this.env, () => this.knock())
      this.knockLater()
    })
  }

  private async knock(): Promise<void> {
    if (this.stopped || this.isSure) return
    const at = this.breaks
    const { clock } = this.env
    const late = new AbortController()
    const cancel = clock.at(clock.steady() + KNOCK_MS, () => late.abort())
    this.knocks++
    const found = await this.client.get(
      namespaceKind,
      { name: 'kube-system' },
      { purpose: 'identity', signal: late.signal },
    )
    this.knocks--
    cancel()
    if (this.stopped || this.isSure || !found.ok || found.value.metadata.uid !== this.known) return
    this.sure(at)
  }

  private sure(at: number): void {
    this.sureOf = Math.max(this.sureOf, at)
    if (!this.isSure) {
      this.release()
      return
    }
    this.failures = 0
    this.failure = undefined
    this.next?.()
    this.next = undefined
    this.nextKnock?.()
    this.nextKnock = undefined
    const waited = this.hasRefused
    this.hasRefused = false
    this.release()
    this.events.recognised(waited)
  }

  private release(): void {
    for (const go of this.waiting.splice(0)) go()
  }
}

const notSent = (cluster: string) =>
  ({ cluster, verb: 'get', ref: { group: '', kind: 'Namespace', name: 'kube-system' }, wrote: 'no' }) as const

/** As if nobody had been there: what was to be written was meant for somebody else. */
const anotherError = (cluster: string, uid: string, was: string): RequestError => ({
  ...notSent(cluster),
  kind: 'Unreachable',
  phase: 'connect',
  detail: `another cluster answers there (kube-system ${uid}, was ${was})`,
})
