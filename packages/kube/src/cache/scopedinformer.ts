import type { ListerWatcher } from '../client/client.ts'
import type { RequestError } from '../client/requesterror.ts'
import type { Cancel, Env } from '../env/env.ts'
import type { Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { type Key, keyText } from '../object/objectref.ts'
import { type Informer, type InformerOptions, startInformer } from './informer.ts'
import type { Freshness, ObjectChange, ReadOnlyStore } from './objectstore.ts'

/** State of one namespace; `Refused`: its objects may not be read. */
export type ScopeState = 'Synced' | 'Syncing' | 'Refused'

export interface ScopedInformer<T extends KubeObject, P> extends Informer<T, P> {
  /** All namespaces are watched at once. */
  readonly isWhole: boolean
  scopeOf(namespace: string): ScopeState
  /** `namespaces` has changed, or is known for the first time. */
  follow(): void
}

export interface ScopeOptions {
  /** A namespace that may not be read does not keep the store from being complete. */
  readonly isRefusalTolerated: boolean
  /** Called when the state of a namespace may have changed. */
  scopeChanged(): void
}

const STRICT: ScopeOptions = { isRefusalTolerated: false, scopeChanged: () => {} }

/**
 * One namespaced resource: one watch of all namespaces where that is permitted, else one in each of `namespaces`. Its store
 * is complete once all of these are, and again once a namespace was added: `onSynced` is called each time. `onHealth` is
 * called with the failure of any of them, and with undefined once none fails.
 */
export function startScopedInformer<T extends KubeObject, P, Of = unknown>(
  env: Env,
  client: ListerWatcher<Of>,
  o: InformerOptions<T, P, Of>,
  namespaces: () => ReadonlySet<string>,
  scope: ScopeOptions = STRICT,
): ScopedInformer<T, P> {
  return new Scoped(env, client, o, namespaces, scope)
}

class Scoped<T extends KubeObject, P, Of> implements ScopedInformer<T, P> {
  readonly store: MergedStore<T, P>
  private readonly env: Env
  private readonly client: ListerWatcher<Of>
  private readonly o: InformerOptions<T, P, Of>
  private readonly namespaces: () => ReadonlySet<string>
  private readonly scope: ScopeOptions
  /** By namespace; empty: all of them. */
  private readonly parts = new Map<string, Informer<T, P>>()
  private readonly failures = new Map<string, RequestError>()
  /** `namespaces` is known. */
  private isFollowed = false

  constructor(
    env: Env,
    client: ListerWatcher<Of>,
    o: InformerOptions<T, P, Of>,
    namespaces: () => ReadonlySet<string>,
    scope: ScopeOptions,
  ) {
    this.env = env
    this.client = client
    this.o = o
    this.namespaces = namespaces
    this.scope = scope
    this.store = new MergedStore(this.parts, (namespace) => this.counts(namespace))
    this.open('')
  }

  get polls(): boolean {
    return [...this.parts.values()].some((p) => p.polls)
  }

  get isWhole(): boolean {
    return this.parts.has('')
  }

  scopeOf(namespace: string): ScopeState {
    const [scope, part] = this.isWhole ? ['', this.parts.get('')] : [namespace, this.parts.get(namespace)]
    if (this.failures.get(scope)?.kind === 'Forbidden') return 'Refused'
    return part && part.store.freshness.state !== 'Syncing' ? 'Synced' : 'Syncing'
  }

  /** Whether the store waits for a namespace. */
  private counts(namespace: string): boolean {
    return !this.scope.isRefusalTolerated || this.scopeOf(namespace) !== 'Refused'
  }

  observeWrite(object: Stored<T>): void {
    const part = this.parts.get('') ?? this.parts.get(object.metadata.namespace ?? '')
    part?.observeWrite(object)
  }

  refresh(): void {
    for (const part of this.parts.values()) part.refresh()
  }

  relist(): void {
    for (const part of this.parts.values()) part.relist()
  }

  follow(): void {
    this.isFollowed = true
    if (this.parts.has('')) return
    const isFirst = !this.store.isScoped
    this.store.isScoped = true
    const wanted = this.namespaces()
    const added = [...wanted].filter((namespace) => !this.parts.has(namespace))
    const removed = [...this.parts.keys()].filter((namespace) => !wanted.has(namespace))
    for (const namespace of added) this.open(namespace)
    for (const namespace of removed) this.close(namespace)
    // Subscribers decide about all that they have: without news they are not asked.
    if (!isFirst && added.length + removed.length === 0) return
    if (isFirst) this.store.synced()
    this.scope.scopeChanged()
  }

  stop(): void {
    for (const part of this.parts.values()) part.stop()
  }

  private open(namespace: string): void {
    const part = startInformer(this.env, this.client, {
      ...this.o,
      ...(namespace === '' ? {} : { namespace }),
      onHealth: (error) => this.health(namespace, error),
    })
    this.parts.set(namespace, part)
    this.store.add(part.store)
    part.store.onSynced(() => this.scope.scopeChanged())
  }

  private close(namespace: string): void {
    const part = this.parts.get(namespace)
    if (!part) return
    part.stop()
    this.parts.delete(namespace)
    this.failures.delete(namespace)
    // The other parts may be complete.
    this.store.synced()
  }

  private health(namespace: string, error: RequestError | undefined): void {
    // Also after the right to watch all of them was revoked: rights in namespaces may remain.
    if (namespace === '' && error?.kind === 'Forbidden' && this.parts.has('')) {
      this.close('')
      if (this.isFollowed || this.namespaces().size > 0) this.follow()
      return
    }
    if (!this.parts.has(namespace)) return
    if (error) this.failures.set(namespace, error)
    else this.failures.delete(namespace)
    const [first] = this.failures.values()
    this.o.onHealth?.(error ?? first)
    this.store.synced()
    this.scope.scopeChanged()
  }
}

/** Several stores of one resource as one. */
class MergedStore<T extends KubeObject, P> implements ReadOnlyStore<P> {
  /** Namespaces are known, if there are any. */
  isScoped = false
  private readonly parts: ReadonlyMap<string, Informer<T, P>>
  private readonly counts: (namespace: string) => boolean
  private readonly subscribers = new Set<(change: ObjectChange<P>) => void>()
  private readonly waiting = new Set<() => void>()

  constructor(parts: ReadonlyMap<string, Informer<T, P>>, counts: (namespace: string) => boolean) {
    this.parts = parts
    this.counts = counts
  }

  add(store: ReadOnlyStore<P>): void {
    store.subscribe((change) => this.tell(change))
    store.onSynced(() => this.synced())
  }

  get(key: Key | string): P | undefined {
    const text = typeof key === 'string' ? key : keyText(key)
    for (const { store } of this.parts.values()) {
      const found = store.get(text)
      if (found !== undefined) return found
    }
    return undefined
  }

  *all(): Iterable<P> {
    for (const { store } of this.parts.values()) yield* store.all()
  }

  *by(index: string, value: string): Iterable<P> {
    for (const { store } of this.parts.values()) yield* store.by(index, value)
  }

  get size(): number {
    return [...this.parts.values()].reduce((n, { store }) => n + store.size, 0)
  }

  get freshness(): Freshness {
    const counted = [...this.parts].filter(([namespace]) => this.counts(namespace))
    const all = counted.map(([, { store }]) => store.freshness)
    const isUnknown = this.parts.size === 0 && !this.isScoped
    const is = (state: Freshness['state']): boolean => all.some((f) => f.state === state)
    return {
      state: isUnknown || is('Syncing') ? 'Syncing' : is('Stale') ? 'Stale' : 'Live',
      lastHeardAt: all.length === 0 ? 0 : Math.min(...all.map((f) => f.lastHeardAt)),
      resourceVersion: all[0]?.resourceVersion ?? '0',
    }
  }

  subscribe(fn: (change: ObjectChange<P>) => void): Cancel {
    this.subscribers.add(fn)
    return () => {
      this.subscribers.delete(fn)
    }
  }

  onSynced(fn: () => void): void {
    this.waiting.add(fn)
    if (this.freshness.state !== 'Syncing') fn()
  }

  private tell(change: ObjectChange<P>): void {
    for (const fn of [...this.subscribers]) fn(change)
  }

  synced(): void {
    if (this.freshness.state === 'Syncing') return
    for (const fn of [...this.waiting]) fn()
  }
}
