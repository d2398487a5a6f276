import { aroundWrites } from '../client/aroundwrites.ts'
import type { KubeClient } from '../client/client.ts'
import { err } from '../env/result.ts'

/** Writes of one process that have begun and have no answer yet: a process that stops waits for them. */
export class WritesInFlight {
  private readonly open = new Set<Promise<unknown>>()
  private isClosed = false

  /** No write begins any more. Resolves when those in flight have ended. */
  async close(): Promise<void> {
    this.isClosed = true
    await this.settled()
  }

  /** Resolves when no write is in flight. Others may begin. */
  async settled(): Promise<void> {
    while (this.open.size > 0) await Promise.allSettled(this.open)
  }

  /** Counts a write until it ends; whether it may begin is checked before. */
  async track<T>(write: () => Promise<T>): Promise<T> {
    const done = write()
    this.open.add(done)
    try {
      return await done
    } finally {
      this.open.delete(done)
    }
  }

  /** A client whose writes are counted. Once closed, they are `Aborted`, and nothing of them is sent. */
  guard(client: KubeClient): KubeClient {
    return aroundWrites(client, async (write, send) =>
      this.isClosed ? err({ ...write, wrote: 'no', kind: 'Aborted' }) : this.track(send),
    )
  }
}
