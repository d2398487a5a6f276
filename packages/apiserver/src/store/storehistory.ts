import type { StoredObject } from './storedobject.ts'

/** Who wrote, and how: what a trace tells. */
export interface CommitCause {
  readonly verb: string
  readonly actor: string
  readonly agent?: string | undefined
  readonly user?: string
}

/** One committed write. `prev` absent: created; `next` absent: deleted. */
export interface StoreEvent {
  readonly version: number
  readonly key: string
  readonly prev: StoredObject | undefined
  readonly next: StoredObject | undefined
  readonly cause: CommitCause
  /** The last content under this event's version; made when a watcher needs it. */
  readonly gone: () => StoredObject
}

const WINDOW_MS = 5 * 60_000
const LEAST = 100
const MOST = 102_400

/**
 * The events of one resource that can still be replayed: five minutes, at least 100 and at most 102,400
 * (etcd's compaction and apiserver pkg/storage/cacher).
 */
export class StoreHistory {
  private events: StoreEvent[] = []
  private times: number[] = []
  private head = 0
  /** Versions before this one cannot be continued. */
  floor: number

  constructor(floor: number) {
    this.floor = floor
  }

  push(event: StoreEvent, steadyMs: number): void {
    this.events.push(event)
    this.times.push(steadyMs)
    while (this.length > MOST || (this.length > LEAST && this.times[this.head]! < steadyMs - WINDOW_MS)) {
      this.floor = this.events[this.head]!.version
      this.head++
    }
    if (this.head > 1024 && this.head > this.events.length >> 1) {
      this.events = this.events.slice(this.head)
      this.times = this.times.slice(this.head)
      this.head = 0
    }
  }

  /** Forgets everything up to `version`, as a compaction does. */
  compact(version: number): void {
    while (this.length > 0 && this.events[this.head]!.version <= version) this.head++
    this.floor = Math.max(this.floor, version)
  }

  /** Events after `version`, oldest first; undefined when some of them are gone. */
  since(version: number): StoreEvent[] | undefined {
    if (version < this.floor) return undefined
    let lo = this.head
    let hi = this.events.length
    while (lo < hi) {
      const mid = (lo + hi) >> 1
      if (this.events[mid]!.version <= version) lo = mid + 1
      else hi = mid
    }
    return this.events.slice(lo)
  }

  private get length(): number {
    return this.events.length - this.head
  }
}
