/**
 * Work that takes long, beside the work queue: whoever needs its result looks for it, and is woken when it is there. What
 * is asked for by several is done once. A slow server holds up only those who wait for it.
 */

export class Jobs<T> {
  private readonly limit: number
  private readonly running = new Map<string, Set<string>>()
  private readonly waiting: (() => void)[] = []
  private readonly wake: (who: string) => void
  private free: number

  /** `limit`: at once. `wake` is called with each `who` that waited. */
  constructor(limit: number, wake: (who: string) => void) {
    this.limit = limit
    this.free = limit
    this.wake = wake
  }

  isRunning(key: string): boolean {
    return this.running.has(key)
  }

  /** Nothing runs and nothing waits for its turn. */
  get idle(): boolean {
    return this.running.size === 0
  }

  /** Starts the work, or joins it; `done` is called before anybody is woken. */
  run(key: string, who: string, work: () => Promise<T>, done: (value: T) => void): void {
    const known = this.running.get(key)
    if (known) return void known.add(who)
    this.running.set(key, new Set([who]))
    void this.turn(work).then((value) => {
      done(value)
      const all = this.running.get(key) ?? []
      this.running.delete(key)
      for (const w of all) this.wake(w)
    })
  }

  private async turn(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--
    else await new Promise<void>((resolve) => this.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.waiting.shift()
      if (next) next()
      else this.free = Math.min(this.limit, this.free + 1)
    }
  }
}
