/** Objects on one cluster that somebody looks at, whoever made them: by name, or by labels. Each selection has its watch. */

import { type Informer, startInformer } from '@lockstep/kube/cache'
import {
  type KubeClient,
  listAll,
  type ObjectDetail,
  type RequestError,
  requestErrorText,
  type ServedResource,
  type Verb,
} from '@lockstep/kube/client'
import { type Env, ok, type Result } from '@lockstep/kube/env'
import { defineKind, type KubeObject, parseApiVersion, withKnownData } from '@lockstep/kube/object'
import { type MissingRight, missingRight, missingRightText } from '../../api/account.ts'
import type { ObjectObservation } from '../../decisions/gate/index.ts'
import type { DependencyObjectRef } from '../../decisions/graph/index.ts'

/** Objects of one kind; `namespace` absent: of all namespaces, or of none. */
export interface ObjectSelection {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** `metadata`: of what is in them nothing is asked for. */
  readonly fields?: ObjectDetail | undefined
}

export type ObservedSelection =
  | { readonly type: 'Read'; readonly objects: readonly KubeObject[] }
  /** The first list is not there yet. */
  | { readonly type: 'Syncing' }
  | { readonly type: 'NotServed'; readonly detail: string }
  /** `forbidden`: the connection is well, and the right to this verb is lacking. */
  | { readonly type: 'Unread'; readonly detail: string; readonly forbidden: Verb | undefined }

/** Unique on a cluster. */
export function selectionId(s: ObjectSelection): string {
  const labels = Object.entries(s.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  const place = [s.apiVersion, s.kind, s.namespace ?? '', s.name ?? '', ...labels.map((l) => l.join('='))]
  return [...place, ...(s.fields === undefined ? [] : [`(${s.fields})`])].join(' ')
}

/** Id of an object in the caches of labeled objects, by `identityOf`; no selection has it. */
export const labeledObjectId = (id: string): string => `labeled ${id}`

/** What the cluster serves; undefined while it has not said. */
export type ServedResourceLookup = (
  group: string,
  kind: string,
  version: string,
) => ServedResource | undefined

/** Age of the last event, in milliseconds, until which a cache is evidence. Bookmarks come each minute and may be late. */
export const FRESH_MS = 65_000

interface WatchedSelection {
  readonly selection: ObjectSelection
  readonly informer: Informer<KubeObject, KubeObject>
  error: RequestError | undefined
  /** When its silence was ended by a list, by the steady clock. */
  askedAt: number
}

interface RefusedRead {
  readonly group: string
  /** Plural. */
  readonly resource: string
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

export class ObjectSelections {
  private readonly env: Env
  private readonly client: KubeClient
  private readonly served: ServedResourceLookup
  /** Something in the selection with this id changed; false: nobody asks for it any more. */
  private readonly changed: (id: string) => boolean
  private readonly user: string | undefined
  private readonly watched = new Map<string, WatchedSelection>()

  /** `user`: as whom they are read; undefined: with the credential of a cluster. */
  constructor(
    env: Env,
    client: KubeClient,
    served: ServedResourceLookup,
    changed: (id: string) => boolean,
    user?: string,
  ) {
    this.user = user
    this.env = env
    this.client = client
    this.served = served
    this.changed = changed
  }

  /** As the cache has it; the first to ask opens the watch. */
  select(s: ObjectSelection): ObservedSelection {
    const resource = this.resourceOf(s)
    if (!resource) return notServed(s)
    const id = selectionId(s)
    const { informer, error } = this.watched.get(id) ?? this.open(id, s, resource)
    if (error) return unread(error)
    if (informer.store.freshness.state === 'Syncing') return { type: 'Syncing' }
    return { type: 'Read', objects: [...informer.store.all()] }
  }

  /** As it is now. Errors of the connection are errors; what the server says of the kind is an answer. */
  async list(s: ObjectSelection): Promise<Result<ObservedSelection, RequestError>> {
    const resource = this.resourceOf(s)
    if (!resource) return ok(notServed(s))
    const all = await listAll<KubeObject>(this.client, defineKind(resource), {
      purpose: 'admission',
      ...scopeOf(s),
    })
    if (all.ok) return ok({ type: 'Read', objects: all.value })
    return all.error.kind === 'Forbidden' ? ok(unread(all.error)) : all
  }

  /** One object, as the cache has it. */
  get(ref: DependencyObjectRef): ObjectObservation {
    return misplaced(ref, this.resourceOf(ref)) ?? this.oneOf(ref, this.select(ref))
  }

  /** One object as it was seen last, whatever has become of its watch. */
  last(ref: DependencyObjectRef): KubeObject | undefined {
    const store = this.watched.get(selectionId(ref))?.informer.store
    return store && [...store.all()][0]
  }

  /** One object, as it is now. */
  async read(ref: DependencyObjectRef): Promise<Result<ObjectObservation, RequestError>> {
    const problem = misplaced(ref, this.resourceOf(ref))
    if (problem) return ok(problem)
    const found = await this.list(ref)
    return found.ok ? ok(this.oneOf(ref, found.value)) : found
  }

  /** When its watch said something last, by the steady clock; undefined: never, or nobody looks at it. */
  heardAt(ref: DependencyObjectRef): number | undefined {
    return this.watched.get(selectionId(ref))?.informer.store.freshness.lastHeardAt
  }

  /**
   * Milliseconds until its watch has been silent for that long. Where it has, it is listed anew: that says how it is, or that
   * nobody answers; a watch whose connection was lost without a word would not say so for minutes.
   */
  freshen(ref: DependencyObjectRef, silenceMs: number): number {
    return this.freshenId(selectionId(ref), silenceMs)
  }

  /** False: the watch of the selection was silent for a minute, and its objects are being listed. */
  isCurrent(id: string): boolean {
    const store = this.watched.get(id)?.informer.store
    if (!store) return true
    this.freshenId(id, FRESH_MS)
    return store.freshness.lastHeardAt + FRESH_MS > this.env.clock.steady()
  }

  private freshenId(id: string, silenceMs: number): number {
    const watched = this.watched.get(id)
    if (!watched || watched.error) return silenceMs
    const { state, lastHeardAt } = watched.informer.store.freshness
    if (state === 'Syncing') return silenceMs
    const now = this.env.clock.steady()
    const leftMs = Math.max(lastHeardAt, watched.askedAt) + silenceMs - now
    if (leftMs > 0) return leftMs
    watched.askedAt = now
    watched.informer.refresh()
    return silenceMs
  }

  /** Watches that are open. */
  get size(): number {
    return this.watched.size
  }

  /** Somebody looks at it no more: its watch ends, unless somebody else does. */
  release(id: string): void {
    if (this.watched.has(id)) this.tell(id)
  }

  /** The right to read one object, or those of a kind, was refused: the server does not end its watches. Requests that read them run again. */
  refuse({ group, resource, namespace, name }: RefusedRead): void {
    for (const [id, { selection, informer }] of [...this.watched]) {
      const of = this.resourceOf(selection)
      if (of?.group !== group || of.plural !== resource || selection.namespace !== namespace) continue
      if (name !== undefined && selection.name !== undefined && selection.name !== name) continue
      informer.stop()
      this.watched.delete(id)
      this.changed(id)
    }
  }

  stop(): void {
    for (const { informer } of this.watched.values()) informer.stop()
    this.watched.clear()
  }

  private oneOf(ref: DependencyObjectRef, seen: ObservedSelection): ObjectObservation {
    switch (seen.type) {
      case 'NotServed':
        return { type: 'Absent', detail: seen.detail }
      case 'Unread': {
        const access = seen.forbidden && this.lacking(ref, seen.forbidden)
        const why = access ? missingRightText(access) : seen.detail
        return { type: 'Unread', detail: `it cannot be read: ${why}`, ...(access && { access }) }
      }
      case 'Syncing':
        return { type: 'Unread', detail: 'it is being read' }
      case 'Read':
        return seen.objects[0] ? { type: 'Present', object: seen.objects[0] } : { type: 'Absent' }
    }
  }

  private lacking(ref: DependencyObjectRef, verb: Verb): MissingRight | undefined {
    const resource = this.resourceOf(ref)
    if (this.user === undefined || !resource) return undefined
    const { group, plural } = resource
    return missingRight(this.user, {
      verb,
      group,
      resource: plural,
      namespace: ref.namespace,
      name: ref.name,
    })
  }

  private resourceOf({ apiVersion, kind }: ObjectSelection): ServedResource | undefined {
    const { group, version } = parseApiVersion(apiVersion)
    return this.served(group, kind, version)
  }

  private open(id: string, s: ObjectSelection, resource: ServedResource): WatchedSelection {
    const informer = startInformer<KubeObject, KubeObject>(this.env, this.client, {
      kind: defineKind(resource),
      ...scopeOf(s),
      project: withKnownData,
      onHealth: (error) => {
        watched.error = error
        this.tell(id)
      },
    })
    const watched: WatchedSelection = {
      selection: s,
      informer,
      error: undefined,
      askedAt: Number.NEGATIVE_INFINITY,
    }
    this.watched.set(id, watched)
    informer.store.subscribe(() => this.tell(id))
    informer.store.onSynced(() => this.tell(id))
    return watched
  }

  private tell(id: string): void {
    if (this.changed(id)) return
    this.watched.get(id)?.informer.stop()
    this.watched.delete(id)
  }
}

function scopeOf({ namespace, name, labels, fields }: ObjectSelection) {
  const labelSelector = Object.entries(labels ?? {})
    .map(([k, v]) => `${k}=${v}`)
    .join(',')
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    ...(labelSelector === '' ? {} : { labelSelector }),
    ...(fields === undefined ? {} : { fields }),
  }
}

const unread = (error: RequestError) =>
  ({
    type: 'Unread',
    detail: requestErrorText(error),
    forbidden: error.kind === 'Forbidden' ? error.verb : undefined,
  }) as const

const notServed = ({ apiVersion, kind }: ObjectSelection) =>
  ({ type: 'NotServed', detail: `no API serves ${apiVersion} ${kind}` }) as const

/** One object is looked for where it can be. */
function misplaced(
  ref: DependencyObjectRef,
  resource: ServedResource | undefined,
): ObjectObservation | undefined {
  if (!resource) return undefined
  if (resource.namespaced && ref.namespace === undefined)
    return { type: 'Absent', detail: `${ref.kind} is namespaced: set object.namespace` }
  if (!resource.namespaced && ref.namespace !== undefined)
    return { type: 'Absent', detail: `${ref.kind} has no namespace: remove object.namespace` }
  return undefined
}
