/** The informer's cache: what is known of one resource, and how old that knowledge is. */

import { isNewerResourceVersion } from '../client/resourceversion.ts'
import type { Cancel } from '../env/env.ts'
import type { Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { type Key, keyText } from '../object/objectref.ts'

export interface ObjectChange<P> {
  readonly key: string
  readonly before: P | undefined
  readonly after: P | undefined
}

export interface Freshness {
  /** Syncing: never complete so far. Stale: nothing heard for long; ask the server before deciding. */
  readonly state: 'Syncing' | 'Live' | 'Stale'
  /** `clock.steady()` of the last event, bookmark or list. */
  readonly lastHeardAt: number
  readonly resourceVersion: string
}

/** What a store keeps of an object: its versions and the projection that somebody needs. */
interface StoreEntry<P> {
  readonly uid: string
  readonly resourceVersion: string
  readonly value: P
}

export interface ListedEntry<P> {
  readonly key: string
  /** Undefined: the projection cannot read the object, which is left out. */
  readonly entry: StoreEntry<P> | undefined
}

export interface ReadOnlyStore<P> {
  get(key: Key | string): P | undefined
  all(): Iterable<P>
  by(index: string, value: string): Iterable<P>
  readonly freshness: Freshness
  readonly size: number
  /** Called after the store has changed. A complete first list is announced by `onSynced`. */
  subscribe(fn: (change: ObjectChange<P>) => void): Cancel
  onSynced(fn: () => void): void
}

export type ObjectIndexes<P> = Readonly<Record<string, (value: P) => readonly string[]>>

export class ObjectStore<T extends KubeObject, P> implements ReadOnlyStore<P> {
  private readonly entries = new Map<string, StoreEntry<P>>()
  private readonly indexes: ObjectIndexes<P>
  private readonly indexed = new Map<string, Map<string, Set<string>>>()
  private readonly subscribers = new Set<(change: ObjectChange<P>) => void>()
  private readonly project: (o: Stored<T>, before: P | undefined) => P | undefined
  private waiting: (() => void)[] = []
  private synced = false
  private silent = false
  private heardAt = 0
  private version = '0'

  constructor(project: (o: Stored<T>, before: P | undefined) => P | undefined, indexes: ObjectIndexes<P>) {
    this.project = project
    this.indexes = indexes
    for (const name of Object.keys(indexes)) this.indexed.set(name, new Map())
  }

  get(key: Key | string): P | undefined {
    return this.entries.get(typeof key === 'string' ? key : keyText(key))?.value
  }

  *all(): Iterable<P> {
    for (const entry of this.entries.values()) yield entry.value
  }

  *by(index: string, value: string): Iterable<P> {
    for (const key of this.indexed.get(index)?.get(value) ?? []) yield this.entries.get(key)!.value
  }

  get size(): number {
    return this.entries.size
  }

  get freshness(): Freshness {
    const state = !this.synced ? 'Syncing' : this.silent ? 'Stale' : 'Live'
    return { state, lastHeardAt: this.heardAt, resourceVersion: this.version }
  }

  subscribe(fn: (change: ObjectChange<P>) => void): Cancel {
    this.subscribers.add(fn)
    return () => {
      this.subscribers.delete(fn)
    }
  }

  onSynced(fn: () => void): void {
    if (this.synced) fn()
    else this.waiting.push(fn)
  }

  /** Projects an object of a list: fields that the projection drops are freed before the next page comes. */
  listed(object: Stored<T>): ListedEntry<P> {
    const key = keyText(object.metadata)
    const known = this.entries.get(key)
    const { uid, resourceVersion } = object.metadata
    if (known && !isNewerResourceVersion(resourceVersion, known.resourceVersion)) return { key, entry: known }
    const value = this.project(object, known?.value)
    return { key, entry: value === undefined ? undefined : { uid, resourceVersion, value } }
  }

  /** Stores a complete list, and removes all other objects. Returns whether the list has changes. */
  replace(listed: readonly ListedEntry<P>[], resourceVersion: string, at: number): boolean {
    const kept = new Set<string>()
    let hasChanged = false
    for (const item of listed) {
      if (item.entry) kept.add(item.key)
      if (this.put(item)) hasChanged = true
    }
    for (const [key, entry] of this.entries) {
      // Written by ourselves after the list was taken: not in it, and not gone.
      if (kept.has(key) || isNewerResourceVersion(entry.resourceVersion, resourceVersion)) continue
      hasChanged = true
      this.drop(key)
    }
    this.heard(resourceVersion, at)
    if (!this.synced) {
      this.synced = true
      for (const fn of this.waiting.splice(0)) fn()
    }
    return hasChanged
  }

  event(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored<T>, at: number): void {
    this.heard(object.metadata.resourceVersion, at)
    const key = keyText(object.metadata)
    if (type !== 'DELETED') this.put(this.listed(object))
    else if (
      !isNewerResourceVersion(this.entries.get(key)?.resourceVersion ?? '0', object.metadata.resourceVersion)
    )
      this.drop(key)
  }

  heard(resourceVersion: string, at: number): void {
    if (isNewerResourceVersion(resourceVersion, this.version)) this.version = resourceVersion
    this.heardAt = at
    this.silent = false
  }

  fellSilent(): void {
    this.silent = true
  }

  /**
   * The answer to a write of our own, before the watch brings it: the next decision is made on it. An older answer
   * changes nothing, and one about an object that has gone meanwhile does not bring it back.
   */
  observeWrite(object: Stored<T>): void {
    const isPast = !isNewerResourceVersion(object.metadata.resourceVersion, this.version)
    if (isPast && !this.entries.has(keyText(object.metadata))) return
    this.put(this.listed(object))
  }

  /** False: the entry is not newer. */
  private put({ key, entry }: ListedEntry<P>): boolean {
    const known = this.entries.get(key)
    if (!entry) {
      this.drop(key)
      return known !== undefined
    }
    if (known && !isNewerResourceVersion(entry.resourceVersion, known.resourceVersion)) return false
    this.entries.set(key, entry)
    this.reindex(key, known?.value, entry.value)
    this.tell({ key, before: known?.value, after: entry.value })
    return true
  }

  private drop(key: string): void {
    const known = this.entries.get(key)
    if (!known) return
    this.entries.delete(key)
    this.reindex(key, known.value, undefined)
    this.tell({ key, before: known.value, after: undefined })
  }

  private reindex(key: string, before: P | undefined, after: P | undefined): void {
    for (const [name, of] of Object.entries(this.indexes)) {
      const index = this.indexed.get(name)!
      for (const value of before === undefined ? [] : of(before)) {
        const keys = index.get(value)
        keys?.delete(key)
        if (keys?.size === 0) index.delete(value)
      }
      for (const value of after === undefined ? [] : of(after)) {
        const keys = index.get(value) ?? new Set<string>()
        index.set(value, keys.add(key))
      }
    }
  }

  private tell(change: ObjectChange<P>): void {
    for (const fn of [...this.subscribers]) fn(change)
  }
}
