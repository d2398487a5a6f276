/** Whether a cluster can be spoken to, by what its answers and failures say. */
import type { Cancel, Env } from '../env/env.ts'
import { type KubeError, kubeErrorText } from '../kube/error.ts'

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
  private failure: { readonly error: KubeError; readonly text: string } | undefined
  private timer: Cancel | undefined
  private stopped = false
  isLost = false

  constructor(env: Env, events: ReachabilityEvents) {
    this.env = env
    this.events = events
  }

  /** What went wrong last, while something does. */
  get problem(): string | undefined {
    return this.failure?.text
  }

  /** The cluster is there, and does not take our credential. */
  get rejected(): boolean {
    return this.failure?.error.kind === 'Unauthorized' || this.failure?.error.kind === 'Forbidden'
  }

  /** A request failed; undefined: one succeeded. */
  note(error: KubeError | undefined): void {
    if (this.stopped || error?.kind === 'Aborted') return
    if (error) this.failed(error)
    else this.succeeded()
  }

  stop(): void {
    this.stopped = true
    this.timer?.()
  }

  private failed(error: KubeError): void {
    const { clock } = this.env
    this.failure = { error, text: kubeErrorText(error) }
    this.timer ??= clock.at(clock.steady() + UNREACHABLE_MS, () => {
      this.isLost = true
      this.events.lost()
    })
  }

  private succeeded(): void {
    const wasLost = this.isLost
    this.failure = undefined
    this.isLost = false
    this.timer?.()
    this.timer = undefined
    if (wasLost) this.events.back()
  }
}
