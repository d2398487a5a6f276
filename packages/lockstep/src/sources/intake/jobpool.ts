/**
 * Work that takes long, beside the work queue: whoever needs its result looks for it, and is woken when it is there. What
 * is asked for by several is done once. A slow server holds up only those who wait for it.
 */
import { type Env, supervise } from '@lockstep/kube/env'

export class JobPool {
  private readonly env: Pick<Env, 'supervisor'>
  private readonly limit: number
  private readonly running = new Map<string, Set<string>>()
  private readonly waiting: (() => void)[] = []
  private readonly wake: (who: string) => void
  private free: number

  /** `limit`: at once. `wake` is called with each `who` that waited. */
  constructor(env: Pick<Env, 'supervisor'>, limit: number, wake: (who: string) => void) {
    this.env = env
    this.limit = limit
    this.free = limit
    this.wake = wake
  }

  /** Nothing runs and nothing waits for its turn. */
  get idle(): boolean {
    return this.running.size === 0
  }

  /** Starts the work, or joins it; whoever asked is woken when it has ended. */
  run(key: string, who: string, work: () => Promise<void>): void {
    const known = this.running.get(key)
    if (known) {
      known.add(who)
      return
    }
    this.running.set(key, new Set([who]))
    supervise(this.env, async () => {
      try {
        await this.turn(work)
      } finally {
        const all = this.running.get(key) ?? []
        this.running.delete(key)
        for (const w of all) this.wake(w)
      }
    })
  }

  private async turn(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    try {
      await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.free = Math.min(this.limit, this.free + 1)
    }
  }
}
