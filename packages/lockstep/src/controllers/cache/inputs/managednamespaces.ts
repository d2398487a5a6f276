/** Namespaces of the hub whose Secrets and ControllerRevisions the controller may read: only there anything is decided. */

import {
  type InformerOptions,
  type ReadOnlyStore,
  type ScopedInformer,
  startScopedInformer,
} from '@lockstep/kube/cache'
import type { ListerWatcher } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import type { KubeObject } from '@lockstep/kube/object'
import type { SecretCaches } from '../../../fleet/inventories/index.ts'

/** Longest time until a new RoleBinding is noticed, apart from a random fifth; milliseconds. */
const FORBIDDEN_WAIT_MS = 8_000

/** `Reading`: its caches are not complete yet; absence would look like deletion. */
export type NamespaceState = 'Managed' | 'NotManaged' | 'Reading'

export class ManagedNamespaces implements SecretCaches {
  private readonly env: Env
  /** A namespace may be decided in from now on, or no more. */
  private readonly changed: () => void
  private readonly used = new Set<string>()
  private readonly caches: ScopedInformer<never, unknown>[] = []
  private readonly told = new Map<string, NamespaceState>()
  private isKnown = false

  constructor(env: Env, changed: () => void) {
    this.env = env
    this.changed = changed
  }

  /** Complete once all managed namespaces are read. */
  open<T extends KubeObject, P, Of>(
    client: ListerWatcher<Of>,
    o: InformerOptions<T, P, Of>,
  ): ScopedInformer<T, P> {
    const made: ScopedInformer<T, P> = startScopedInformer(
      this.env,
      client,
      { ...o, forbiddenWaitMs: FORBIDDEN_WAIT_MS },
      () => this.used,
      {
        isRefusalTolerated: true,
        scopeChanged: () => this.tell(),
      },
    )
    this.caches.push(made as unknown as ScopedInformer<never, unknown>)
    if (this.isKnown) made.follow()
    return made
  }

  private begin(): void {
    this.isKnown = true
    this.follow()
  }

  stateOf(namespace: string): NamespaceState {
    this.use(namespace)
    const states = this.caches.map((c) => c.scopeOf(namespace))
    if (states.includes('Refused')) return 'NotManaged'
    return states.includes('Syncing') ? 'Reading' : 'Managed'
  }

  /** Those that are managed; undefined: all. */
  get managed(): readonly string[] | undefined {
    if (this.caches.every((c) => c.isWhole)) return undefined
    return [...this.used].filter((n) => this.stateOf(n) === 'Managed')
  }

  use(namespace: string): void {
    if (namespace === '' || this.used.has(namespace)) return
    this.used.add(namespace)
    if (this.isKnown) this.follow()
  }

  /** Namespaces with an object in one of these stores are used; they are known once all stores are complete. */
  followAll(stores: readonly ReadOnlyStore<Pick<KubeObject, 'metadata'>>[]): void {
    let waiting = stores.length
    for (const store of stores) {
      store.subscribe(({ after }) => this.use(after?.metadata.namespace ?? ''))
      store.onSynced(() => {
        waiting--
        if (waiting === 0) this.begin()
      })
    }
  }

  private follow(): void {
    for (const c of this.caches) c.follow()
  }

  private tell(): void {
    let isNews = false
    for (const namespace of this.used) {
      const state = this.stateOf(namespace)
      if (state !== (this.told.get(namespace) ?? 'Reading')) isNews = true
      this.told.set(namespace, state)
    }
    if (isNews) this.changed()
  }
}
