/**
 * Writes statuses of the hub, each on the version that was read. An equal status is not written, progress that only people
 * read waits for a debounce, and a status that other controllers act on is written at once.
 */

import type { RequestError } from '@lockstep/kube/client'
import type { Env } from '@lockstep/kube/env'
import {
  type JsonObject,
  jsonEqual,
  type KubeObject,
  keyOf,
  keyText,
  type Stored,
} from '@lockstep/kube/object'
import type {
  Approval,
  ClusterResourceSet,
  DisruptionBudget,
  ExternalAssemblage,
  Hold,
  Inventory,
  Module,
  Pipeline,
  Promotion,
  RemoteAssemblage,
} from '../../api/kinds/index.ts'
import { MANAGER } from '../../api/labels.ts'
import type { RecordClient, RecordKind } from '../../api/records.ts'
import { type EventNote, type EventRecorder, logLine, type StatusLine } from './events/index.ts'
import type { ObjectName } from './requestkeys.ts'
import { done, failed, type ReconcileResult, requeueAfter } from './result.ts'

/** Kinds with a status of ours, by the name of their cache. */
interface StatusKinds {
  readonly modules: Module
  readonly bootstrapModules: Module
  readonly assemblages: RemoteAssemblage
  readonly foreign: ExternalAssemblage
  readonly inventories: Inventory
  readonly holds: Hold
  readonly approvals: Approval
  readonly disruptionBudgets: DisruptionBudget
  readonly pipelines: Pipeline
  readonly promotions: Promotion
  readonly sets: ClusterResourceSet
  readonly weavePipelines: KubeObject & { readonly status?: JsonObject }
}

type StatusKind = keyof StatusKinds
type StatusOf<K extends StatusKind> = NonNullable<StatusKinds[K]['status']>

/** Where a status goes, and the cache that the answer is put into. */
interface StatusTarget<T extends KubeObject> {
  readonly kind: RecordKind<T>
  observeWrite(object: Stored<T>): void
}

export type StatusTargets = { readonly [K in StatusKind]: StatusTarget<StatusKinds[K]> }

interface Waits {
  /** A difference is written after this time, in milliseconds; absent: at once. */
  readonly debounceMs?: number
  /** Least milliseconds between two writes. */
  readonly spacingMs?: number
}

interface StatusOptions<S> extends Waits {
  /** Other controllers act on the change: neither time counts. */
  readonly urgent?: (before: S | undefined, after: S) => boolean
  /** Events about the difference. */
  readonly events?: (before: S | undefined, after: S) => readonly EventNote[]
  /** Lines of the log about the difference, beside those of Events. */
  readonly lines?: (before: S | undefined, after: S) => readonly StatusLine[]
}

/** `object`: as it is stored now. */
export interface StatusResult<T extends KubeObject> extends ReconcileResult {
  readonly object: Stored<T>
  readonly isWritten: boolean
  readonly error?: RequestError
}

/** Milliseconds of a write on a server that is not busy. */
const QUICK_MS = 20
/** Share of the last write in the mean. */
const NEWEST = 0.2
/** On a busy server progress waits at most this many times longer. */
const MOST_PATIENCE = 10

export class StatusWriter {
  /** Mean milliseconds of a write. */
  private tookMs = QUICK_MS
  private readonly env: Pick<Env, 'clock' | 'log'>
  private readonly own: Pick<RecordClient, 'update' | 'patch'>
  private readonly targets: StatusTargets
  private readonly recorder: Pick<EventRecorder, 'record'>
  /** By kind and key: since when (monotonic) the stored status differs. */
  private readonly differs = new Map<string, number>()
  /** When it was written last, of those whose writes are spaced. */
  private readonly wroteAt = new Map<string, number>()

  constructor(
    env: Pick<Env, 'clock' | 'log'>,
    own: Pick<RecordClient, 'update' | 'patch'>,
    targets: StatusTargets,
    recorder: Pick<EventRecorder, 'record'>,
  ) {
    this.env = env
    this.own = own
    this.targets = targets
    this.recorder = recorder
  }

  /** Written on the version of `object`: after a conflict the caller decides again. */
  async update<K extends StatusKind>(
    kind: K,
    object: Stored<StatusKinds[K]>,
    status: StatusOf<K>,
    options: StatusOptions<StatusOf<K>> = {},
  ): Promise<StatusResult<StatusKinds[K]>> {
    const before: StatusKinds[K]['status'] = object.status
    const id = idOf(kind, object.metadata)
    if (isEqual(before, status)) {
      this.differs.delete(id)
      return { ...done, object, isWritten: false }
    }
    const leftMs = options.urgent?.(before, status) ? 0 : this.leftMs(id, options)
    if (leftMs > 0) return { ...requeueAfter(leftMs), object, isWritten: false }
    this.differs.delete(id)
    const target: StatusTarget<StatusKinds[K]> = this.targets[kind]
    const { clock } = this.env
    const sentAt = clock.steady()
    const written = await this.own.update(target.kind, withStatus(object, status), WRITE)
    this.tookMs += NEWEST * (clock.steady() - sentAt - this.tookMs)
    if (!written.ok) return { ...failed(written.error), object, isWritten: false, error: written.error }
    target.observeWrite(written.value)
    if (options.spacingMs !== undefined) this.wroteAt.set(id, clock.steady())
    const notes = options.events?.(before, status) ?? []
    if (notes.length > 0) this.recorder.record(written.value, notes)
    for (const line of options.lines?.(before, status) ?? []) logLine(this.env, written.value, line)
    return { ...done, object: written.value, isWritten: true }
  }

  /** Replaces the fields that the status has; those of other writers stay. */
  async patch<K extends StatusKind>(
    kind: K,
    object: Stored<StatusKinds[K]>,
    status: StatusOf<K>,
  ): Promise<StatusResult<StatusKinds[K]>> {
    const before: StatusKinds[K]['status'] = object.status
    if (isEqual(before, status)) return { ...done, object, isWritten: false }
    const { uid, resourceVersion } = object.metadata
    const gone = Object.fromEntries(Object.keys(before ?? {}).map((k) => [k, null]))
    const body = { status: { ...gone, ...(status as JsonObject) } }
    const target: StatusTarget<StatusKinds[K]> = this.targets[kind]
    const options = { ...WRITE, precondition: { uid, resourceVersion } }
    const written = await this.own.patch(target.kind, keyOf(object), body, options)
    if (!written.ok) return { ...failed(written.error), object, isWritten: false, error: written.error }
    target.observeWrite(written.value)
    return { ...done, object: written.value, isWritten: true }
  }

  /** The object was deleted: a later one of its name has no times. */
  forget(kind: StatusKind, name: ObjectName): void {
    this.differs.delete(idOf(kind, name))
    this.wroteAt.delete(idOf(kind, name))
  }

  /** How many times longer than on an idle hub progress waits: its writes must not slow down the units. */
  get patience(): number {
    return Math.min(MOST_PATIENCE, Math.max(1, this.tookMs / QUICK_MS))
  }

  private leftMs(id: string, { debounceMs = 0, spacingMs = 0 }: Waits): number {
    const now = this.env.clock.steady()
    const since = this.differs.get(id) ?? now
    if (debounceMs > 0) this.differs.set(id, since)
    const last = this.wroteAt.get(id) ?? Number.NEGATIVE_INFINITY
    return Math.max(0, since + debounceMs * this.patience - now, last + spacingMs - now)
  }
}

const idOf = (kind: StatusKind, name: ObjectName): string => `${kind} ${keyText(name)}`

const withStatus = <T extends object>(object: T, status: object): T => ({ ...object, status })

const isEqual = (before: object | undefined, after: object): boolean =>
  jsonEqual(before as JsonObject | undefined, after as JsonObject)

const WRITE = { purpose: 'status', manager: MANAGER, subresource: 'status' } as const
