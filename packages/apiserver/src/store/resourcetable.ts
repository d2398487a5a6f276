import type { Cancel } from '@lockstep/kube/env'
import { SortedMap } from './sortedmap.ts'
import type { Encoding, StoredObject } from './storedobject.ts'
import { type StoreEvent, StoreHistory } from './storehistory.ts'

export type Listener = (event: StoreEvent) => void

/** All objects of one resource, whatever version they are asked for in. */
export class ResourceTable {
  /** `plural.group`, `plural` in the core group. */
  readonly id: string
  readonly encoding: Encoding
  readonly live = new SortedMap<StoredObject>()
  readonly history: StoreHistory
  /** By namespace; under the empty string those who watch all. */
  private readonly listeners = new Map<string, Set<Listener>>()

  private readonly closers = new Set<() => void>()

  constructor(id: string, encoding: Encoding, floor: number) {
    this.id = id
    this.encoding = encoding
    this.history = new StoreHistory(floor)
  }

  /** Calls back for each write, in order. `namespace` empty: for all. */
  subscribe(namespace: string, listener: Listener): Cancel {
    const known = this.listeners.get(namespace) ?? new Set()
    this.listeners.set(namespace, known)
    known.add(listener)
    return () => {
      known.delete(listener)
      if (known.size === 0) this.listeners.delete(namespace)
    }
  }

  /** Calls back when the resource itself goes. */
  onClose(fn: () => void): Cancel {
    this.closers.add(fn)
    return () => void this.closers.delete(fn)
  }

  close(): void {
    for (const fn of [...this.closers]) fn()
  }

  dispatch(event: StoreEvent): void {
    const all = this.listeners.get('')
    if (all) for (const listener of [...all]) listener(event)
    const slash = event.key.indexOf('/')
    if (slash < 0) return
    const some = this.listeners.get(event.key.slice(0, slash))
    if (some) for (const listener of [...some]) listener(event)
  }
}
