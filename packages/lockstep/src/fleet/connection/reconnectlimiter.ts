/**
 * How soon it is tried whether a cluster is back that somebody waits for: every three seconds, beside the tries that grow rare. Of
 * all such clusters together not more than 20 a second: of very many each has its turn less often.
 */
import type { Env } from '@lockstep/kube/env'

const EVERY_MS = 3000
const GAP_MS = 50

export class ReconnectLimiter {
  private readonly env: Pick<Env, 'clock' | 'random'>
  /** When the last one is sent that has its time. */
  private lastAt = Number.NEGATIVE_INFINITY

  constructor(env: Pick<Env, 'clock' | 'random'>) {
    this.env = env
  }

  /** Milliseconds until the next one of somebody; it has its time from now on. */
  take(): number {
    const now = this.env.clock.steady()
    const wanted = now + EVERY_MS * (0.8 + 0.2 * this.env.random.next())
    const at = Math.max(wanted, this.lastAt + GAP_MS)
    this.lastAt = at
    return at - now
  }
}
