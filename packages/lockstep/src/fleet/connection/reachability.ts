/** Whether a cluster can be spoken to, by what its answers and failures say. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import type { Cancel, Env, HostRefusal } from '@lockstep/kube/env'

/** No success for so long since the first failure: the cluster counts as unreachable. */
const UNREACHABLE_MS = 50_000

export interface ReachabilityEvents {
  lost(): void
  /** After it was lost. */
  back(): void
}

export class Reachability {
  private readonly env: Env
  private readonly events: ReachabilityEvents
  /** By what was tried; the latest failure last. */
  private readonly failing = new Map<string, RequestError>()
  private timer: Cancel | undefined
  /** Wall clock, milliseconds: the first failure since the last success. */
  since: number | undefined
  private stopped = false
  isLost = false

  constructor(env: Env, events: ReachabilityEvents) {
    this.env = env
    this.events = events
  }

  /** What went wrong last, while something does. */
  get problem(): string | undefined {
    return this.failure && requestErrorText(this.failure)
  }

  /** Its host is not for the namespace that names it. */
  get refusal(): HostRefusal | undefined {
    return this.failure?.kind === 'Unreachable' ? this.failure.refused : undefined
  }

  /** The cluster is there, and does not take our credential. */
  get rejected(): boolean {
    return this.failure?.kind === 'Unauthorized' || this.failure?.kind === 'Forbidden'
  }

  /** What is tried may not be done. */
  isForbidden(what: string): boolean {
    return this.failing.get(what)?.kind === 'Forbidden'
  }

  /** What is tried time and again failed; undefined: something succeeded. */
  note(what: string, error: RequestError | undefined): void {
    if (this.stopped || error?.kind === 'Aborted') return
    if (error) this.failed(what, error)
    else this.succeeded()
  }

  /** It was refused, for what it asks: of the cluster that says only that it answers. */
  answered(what: string): void {
    if (!this.stopped && this.failing.delete(what) && this.failing.size === 0) this.succeeded()
  }

  stop(): void {
    this.stopped = true
    this.timer?.()
  }

  private get failure(): RequestError | undefined {
    return [...this.failing.values()].at(-1)
  }

  private failed(what: string, error: RequestError): void {
    const { clock } = this.env
    this.since ??= clock.now()
    this.failing.delete(what)
    this.failing.set(what, error)
    this.timer ??= clock.at(clock.steady() + UNREACHABLE_MS, () => {
      this.isLost = true
      this.events.lost()
    })
  }

  private succeeded(): void {
    const wasLost = this.isLost
    this.failing.clear()
    this.since = undefined
    this.isLost = false
    this.timer?.()
    this.timer = undefined
    if (wasLost) this.events.back()
  }
}
