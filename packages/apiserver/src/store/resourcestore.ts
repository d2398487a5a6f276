import type { Cancel, Clock } from '@lockstep/kube/env'
import { deepFreeze, type KubeObject } from '@lockstep/kube/object'
import type { Listener } from './resourcetable.ts'
import { ResourceTable } from './resourcetable.ts'
import type { Snapshot } from './snapshot.ts'
import { type Encoding, StoredObject } from './storedobject.ts'
import type { CommitCause, StoreEvent } from './storehistory.ts'

/** A cluster that has just started has written before: small versions are too old for everyone, as on a real one. */
const FIRST = 100

export type Observer = (table: ResourceTable, event: StoreEvent) => void

/**
 * The objects of one cluster. One counter numbers all writes; a write is one synchronous step, so readers see
 * whole versions and events come in write order.
 */
export class ResourceStore {
  private readonly clock: Clock
  private readonly tables = new Map<string, ResourceTable>()
  private counter = FIRST
  private readonly waiting: Array<{ table: ResourceTable; event: StoreEvent }> = []
  private dispatching = false
  private readonly followers = new Map<string, Set<Listener>>()
  /** Sees every write at once, before anyone is told: indexes and traces. Must not write. */
  private readonly observers = new Set<Observer>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  observe(observer: Observer): Cancel {
    this.observers.add(observer)
    return () => void this.observers.delete(observer)
  }

  /** Calls back for each write of a resource, in order, whether there is such a resource yet or not. */
  subscribe(id: string, listener: Listener): Cancel {
    const known = this.followers.get(id) ?? new Set()
    this.followers.set(id, known.add(listener))
    return () => {
      known.delete(listener)
      if (known.size === 0 && this.followers.get(id) === known) this.followers.delete(id)
    }
  }

  /** Resolves once `version` is reached, or after `ms`. */
  reached(version: number, ms: number): Promise<void> {
    if (this.counter >= version) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        cancel()
        stop()
        resolve()
      }
      const stop = this.observe(() => {
        if (this.counter >= version) done()
      })
      const cancel = this.clock.at(this.clock.steady() + ms, done)
    })
  }

  /** The version of the last write. */
  get version(): number {
    return this.counter
  }

  /** The number of writes since the first object. */
  get writes(): number {
    return this.counter - FIRST
  }

  /** The objects as they are now. The copy costs a reference for each object. */
  snapshot(): Snapshot {
    const tables = [...this.tables.values()].map(({ id, encoding, live }) => ({
      id,
      encoding,
      objects: [...live.keys('', '')].map((key) => live.get(key)!),
    }))
    return { version: this.counter, tables }
  }

  /**
   * Fills an empty store with the objects of another one, under their versions. Observers and subscribers see each object
   * as created, the oldest version first, so that indexes are built as usual. The history starts after the snapshot: a
   * watch from an earlier version expires, as after a compaction.
   */
  restore({ version, tables }: Snapshot): void {
    this.counter = version
    const rows = tables.flatMap(({ id, encoding, objects }) => {
      const table = this.table(id, encoding)
      table.history.compact(version)
      for (const stored of objects) table.live.set(stored.key, stored)
      return objects.map((stored) => ({ table, stored }))
    })
    rows.sort((a, b) => a.stored.version - b.stored.version)
    for (const { table, stored } of rows) {
      const event = restored(stored)
      for (const observer of this.observers) observer(table, event)
      table.dispatch(event)
    }
  }

  /** The table of a resource; made, empty, when it is first asked for. */
  table(id: string, encoding: Encoding): ResourceTable {
    const known = this.tables.get(id)
    if (known) return known
    const made = new ResourceTable(id, encoding, this.counter)
    this.tables.set(id, made)
    return made
  }

  /** Forgets a resource: a definition of that name made later starts empty. */
  drop(id: string): void {
    this.tables.get(id)?.close()
    this.tables.delete(id)
  }

  all(): Iterable<ResourceTable> {
    return this.tables.values()
  }

  /** Writes `object` under the next version. */
  put(table: ResourceTable, key: string, object: KubeObject, cause: CommitCause): StoredObject {
    const version = ++this.counter
    const versioned = deepFreeze({
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(version) },
    })
    const next = new StoredObject(key, versioned, version, table.encoding)
    const prev = table.live.get(key)
    table.live.set(key, next)
    this.publish(table, { version, key, prev, next, cause, gone: once(() => (prev ?? next).at(version)) })
    return next
  }

  /** Deletes; returns the last content under the version of the deletion. */
  remove(table: ResourceTable, key: string, cause: CommitCause): StoredObject | undefined {
    const prev = table.live.get(key)
    if (!prev) return undefined
    const version = ++this.counter
    table.live.delete(key)
    const event = { version, key, prev, next: undefined, cause, gone: once(() => prev.at(version)) }
    this.publish(table, event)
    return event.gone()
  }

  /** Listeners may write: their events wait until all have seen this one, so nobody sees two versions swapped. */
  private publish(table: ResourceTable, event: StoreEvent): void {
    table.history.push(event, this.clock.steady())
    for (const observer of this.observers) observer(table, event)
    this.waiting.push({ table, event })
    if (this.dispatching) return
    this.dispatching = true
    try {
      for (let i = 0; i < this.waiting.length; i++) {
        const { table: t, event: e } = this.waiting[i]!
        t.dispatch(e)
        for (const follow of [...(this.followers.get(t.id) ?? [])]) follow(e)
      }
    } finally {
      this.waiting.length = 0
      this.dispatching = false
    }
  }
}

const restored = (stored: StoredObject): StoreEvent => ({
  version: stored.version,
  key: stored.key,
  prev: undefined,
  next: stored,
  cause: { verb: 'create', actor: 'kube-apiserver' },
  gone: () => stored,
})

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
