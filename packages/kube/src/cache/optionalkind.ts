/** Objects of a kind that may not be installed: there while its definition is, in whichever version that serves. */

import type { ListerWatcher } from '../client/client.ts'
import { type RequestError, requestErrorText } from '../client/requesterror.ts'
import type { Env } from '../env/env.ts'
import { ProblemLog } from '../env/log/problemlog.ts'
import type { CustomResourceDefinition } from '../kinds/types.ts'
import { at, jsonEqual } from '../object/json.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { type Key, keyText } from '../object/objectref.ts'
import { type Informer, startInformer } from './informer.ts'

export interface OptionalKindOptions<T extends KubeObject, P, Of = unknown> {
  /** CustomResourceDefinition: of all of them, those of `kinds` are read. */
  readonly definitions: Kind<CustomResourceDefinition> & Of
  /** The same kind in all versions that we read, the best first. */
  readonly kinds: readonly (Kind<T> & Of)[]
  readonly project: (o: Stored<T>) => P
  /** What waits until it can be read: `nothing is delivered`. */
  readonly meanwhile: string
}

export interface OptionalKindEvents<P> {
  changed(before: P | undefined, after: P | undefined): void
  /** The kind is served, and its objects are about to be read. */
  opened(): void
  /** It is known that there is no such kind, or all its objects are. Called once. */
  settled(): void
}

/** As the definition on the server has it. */
interface KindDefinition {
  readonly served: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  /** By version: fields of `status` that are kept. */
  readonly status: Readonly<Record<string, readonly string[]>>
}

export class OptionalKind<T extends KubeObject, P, Of = unknown> {
  private readonly env: Env
  private readonly client: ListerWatcher<Of>
  private readonly o: OptionalKindOptions<T, P, Of>
  private readonly events: OptionalKindEvents<P>
  private readonly definition: Informer<CustomResourceDefinition, KindDefinition>
  private readonly views = new Map<string, P>()
  private open: { readonly kind: Kind<T> & Of; readonly informer: Informer<T, P> } | undefined
  private isSettled = false
  private isLeftOut = false
  private readonly problems: ProblemLog

  constructor(
    env: Env,
    client: ListerWatcher<Of>,
    o: OptionalKindOptions<T, P, Of>,
    events: OptionalKindEvents<P>,
  ) {
    this.env = env
    this.problems = new ProblemLog(env)
    this.client = client
    this.o = o
    this.events = events
    const { plural, group } = o.kinds[0]!
    this.definition = startInformer<CustomResourceDefinition, KindDefinition, Of>(env, client, {
      kind: o.definitions,
      fieldSelector: `metadata.name=${plural}.${group}`,
      project: ({ metadata, spec }) => ({
        served: spec.versions.filter((v) => v.served).map((v) => v.name),
        labels: metadata.labels ?? {},
        status: Object.fromEntries(spec.versions.map((v) => [v.name, fieldsOfStatus(v)])),
      }),
      onHealth: (error) => {
        const isRead = this.definition.store.freshness.state !== 'Syncing'
        if (error?.kind === 'Forbidden' && !isRead) this.leaveOut()
        else this.health(error)
      },
    })
    this.definition.store.subscribe(({ before, after }) => {
      this.follow()
      if (before && after && !jsonEqual(before as never, after as never)) this.retell()
    })
    this.definition.store.onSynced(() => this.follow())
  }

  /** As it is read; undefined: it is not served. */
  get kind(): (Kind<T> & Of) | undefined {
    return this.open?.kind
  }

  /** Labels of its definition. */
  get labels(): Readonly<Record<string, string>> {
    const { plural, group } = this.o.kinds[0]!
    return this.definition.store.get(`${plural}.${group}`)?.labels ?? {}
  }

  /**
   * Whether a field of `status` is kept in the version that is read; what a definition does not know is dropped. `a.*.b`: one in
   * each value of a map.
   */
  keepsStatus(field: string): boolean {
    const { plural, group, version } = this.open?.kind ?? this.o.kinds[0]!
    return this.definition.store.get(`${plural}.${group}`)?.status[version]?.includes(field) === true
  }

  get(key: Key): P | undefined {
    return this.views.get(keyText(key))
  }

  all(): Iterable<P> {
    return this.views.values()
  }

  /** Puts the answer of a write of our own into the cache. */
  observeWrite(object: Stored<T>): void {
    this.open?.informer.observeWrite(object)
  }

  stop(): void {
    this.definition.stop()
    this.open?.informer.stop()
  }

  /** A version that is read stays, as long as it is served: what is known stays known. */
  private follow(): void {
    if (this.definition.store.freshness.state === 'Syncing') return
    const { plural, group } = this.o.kinds[0]!
    const served = this.definition.store.get(`${plural}.${group}`)?.served ?? []
    if (this.open && served.includes(this.open.kind.version)) return
    this.open?.informer.stop()
    this.open = undefined
    const kind = this.o.kinds.find((k) => served.includes(k.version))
    if (kind) this.begin(kind)
    else this.end()
  }

  /** Who has looked at the definition looks at it again: whose it is may be otherwise, and what it keeps. */
  private retell(): void {
    for (const view of [...this.views.values()]) this.events.changed(view, view)
  }

  private end(): void {
    for (const key of [...this.views.keys()]) this.put(key, undefined)
    this.settle()
  }

  private begin(kind: Kind<T> & Of): void {
    this.events.opened()
    const informer = startInformer<T, P, Of>(this.env, this.client, {
      kind,
      project: this.o.project,
      onHealth: (error) => this.health(error),
    })
    this.open = { kind, informer }
    informer.store.subscribe(({ key, after }) => this.put(key, after))
    informer.store.onSynced(() => {
      // Known from another version, and gone meanwhile.
      for (const key of [...this.views.keys()]) if (!informer.store.get(key)) this.put(key, undefined)
      this.settle()
    })
  }

  private put(key: string, after: P | undefined): void {
    const before = this.views.get(key)
    if (after) this.views.set(key, after)
    else this.views.delete(key)
    if (before || after) this.events.changed(before, after)
  }

  private settle(): void {
    if (this.isSettled) return
    this.isSettled = true
    this.events.settled()
  }

  /** A controller without the right to read the definition does not serve the kind. */
  private leaveOut(): void {
    if (this.isLeftOut) return
    this.isLeftOut = true
    const [reason, text] = ['NotServed', `${this.name} is not served: no right to read its definition`]
    if (this.problems.has(this.name)) this.problems.end(this.name, reason, text)
    else this.env.log.info(text, { reason })
    this.settle()
  }

  /** `Widget.example.com`. */
  private get name(): string {
    const { kind, group } = this.o.kinds[0]!
    return `${kind}.${group}`
  }

  /**
   * Cached objects stay. Before all of them are read, nothing is delivered anywhere: that has a line. Later a server without an
   * answer has a line of its own.
   */
  private health(error: RequestError | undefined): void {
    const what = this.name
    if (!error) {
      this.problems.end(what, 'Readable', `${what} can be read again`)
      return
    }
    if (this.isSettled && error.kind === 'Unreachable') return
    const then = this.isSettled ? 'its last state counts' : `${this.o.meanwhile} before it is known`
    this.problems.begin(what, error.kind, `${what} cannot be read; ${then}`, { err: requestErrorText(error) })
  }
}

const fieldsOfStatus = (version: object): string[] =>
  Object.entries(
    at(version, 'schema', 'openAPIV3Schema', 'properties', 'status', 'properties') ?? {},
  ).flatMap(([name, field]) => {
    const inValues = Object.keys(at(field, 'additionalProperties', 'properties') ?? {})
    return [name, ...inValues.map((f) => `${name}.*.${f}`)]
  })
