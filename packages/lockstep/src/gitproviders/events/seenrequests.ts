/** Requests that were taken: the same one again is no news. */

/** As long as an event may be of now, either side (`decisions/promotion/hook/webhookevent.ts`), in milliseconds. */
const REMEMBERED_MS = 600_000

export class SeenRequests {
  /** When, by digest; the oldest first. */
  private readonly seen = new Map<string, number>()

  /** True: for the first time. */
  isNew(digest: string, nowMs: number): boolean {
    for (const [old, at] of this.seen) {
      if (at > nowMs - REMEMBERED_MS) break
      this.seen.delete(old)
    }
    if (this.seen.has(digest)) return false
    this.seen.set(digest, nowMs)
    return true
  }
}
