import type { Cancel } from '@lockstep/kube/env'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { StoredObject } from '../store/storedobject.ts'
import type { StoreEvent } from '../store/storehistory.ts'
import { seen } from '../write/writeresult.ts'

export interface ServedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly stored: StoredObject
}

/** What a write is under a selector: entering is ADDED, leaving DELETED (apiserver pkg/storage/cacher). */
export function classify(e: StoreEvent, matches: (s: StoredObject) => boolean): ServedEvent | undefined {
  const before = e.prev !== undefined && matches(e.prev)
  const after = e.next !== undefined && matches(e.next)
  if (after) return { type: before ? 'MODIFIED' : 'ADDED', stored: e.next as StoredObject }
  return before ? { type: 'DELETED', stored: e.gone() } : undefined
}

export interface WatchStart {
  readonly namespace: string
  readonly matches: (s: StoredObject) => boolean
  /** Events after this version; undefined: first all objects there are. */
  readonly after: number | undefined
}

/** Too many events that nobody takes: the reader is cut off, and delays nobody. */
const MOST_EVENTS = 1000
const MOST_BYTES = 16 * 1024 * 1024

/**
 * The events of one watcher, in the order of the writes. Writers only append; whoever reads takes what has piled up.
 */
export class WatchQueue {
  private queue: ServedEvent[] = []
  private bytes = 0
  private live = 0
  private wake: (() => void) | undefined
  private readonly cancel: Cancel
  private readonly kind: ServedKind
  /** Cut off, or told to end: what is queued is still given unless it was cut off. */
  private state: 'open' | 'ending' | 'cut' = 'open'
  /** The version up to which everything has been queued. */
  version: number

  constructor(cluster: EmbeddedCluster, kind: ServedKind, start: WatchStart, replay: readonly ServedEvent[]) {
    this.kind = kind
    this.version = Math.max(cluster.store.version, start.after ?? 0)
    this.queue.push(...replay)
    const quietUntil = start.after ?? 0
    const closing = kind.table.onClose(() => this.close('ending'))
    const events = kind.table.subscribe(start.namespace, (e) => {
      this.version = Math.max(this.version, e.version)
      if (e.version <= quietUntil) return
      const event = classify(e, start.matches)
      if (event) this.push(event)
    })
    this.cancel = () => {
      closing()
      events()
    }
  }

  get size(): number {
    return this.queue.length
  }

  private push(event: ServedEvent): void {
    if (this.state !== 'open') return
    this.queue.push(event)
    this.live++
    this.bytes += event.stored.text.length
    if (this.live > MOST_EVENTS || this.bytes > MOST_BYTES) this.close('cut')
    else this.notify()
  }

  /** All that has piled up; waits for the first. Undefined: the watch is over. */
  async take(): Promise<readonly ServedEvent[] | undefined> {
    if (this.queue.length === 0 && this.state === 'open')
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    if (this.state === 'cut') return undefined
    if (this.queue.length === 0 && this.state === 'ending') return undefined
    const taken = this.queue
    this.queue = []
    this.bytes = 0
    this.live = 0
    return taken.map((e) => ({ type: e.type, stored: seen(this.kind, e.stored) }))
  }

  /** Wakes the reader although nothing has happened, for a bookmark. */
  notify(): void {
    this.wake?.()
    this.wake = undefined
  }

  close(how: 'ending' | 'cut' = 'ending'): void {
    if (this.state === 'open') this.cancel()
    if (this.state !== 'cut') this.state = how
    if (how === 'cut') this.queue = []
    this.notify()
  }
}
