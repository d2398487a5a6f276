/**
 * One client per cluster and identity. Thin: paths, fences, typed errors, counted requests; no cache (see
 * `cache/objectstore.ts`), no retry of writes.
 */

import type { Result } from '../env/result.ts'
import type { JsonValue } from '../object/json.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import type { Key } from '../object/objectref.ts'
import type { RequestError } from './requesterror.ts'
import type { ServerTime } from './serverclock.ts'

export type KubeResult<T> = Result<T, RequestError>

/**
 * Only reads make a fence: the uid and resourceVersion that a decision was made on. 'absent' = create only.
 */
export type Precondition = { readonly uid: string; readonly resourceVersion: string } | 'absent'

/** Why a request is made: goes to the meters, so that requests are counted by purpose. */
export type Purpose =
  | 'admission'
  | 'review'
  | 'reread'
  | 'apply'
  | 'adopt'
  | 'replace'
  | 'hook'
  | 'dryrun'
  | 'prune'
  | 'inventory'
  | 'stamp'
  | 'record'
  | 'status'
  | 'publish'
  | 'event'
  | 'sync'
  | 'identity'
  | 'lease'
  | 'renewal'
  | 'user'

export interface ClientCall {
  readonly purpose: Purpose
  readonly signal?: AbortSignal
}

export interface LogOptions extends ClientCall {
  readonly container: string
  readonly tailLines: number
  readonly limitBytes: number
}

export interface ListOptions<T extends KubeObject = KubeObject> extends ClientCall {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continue?: string
  readonly resourceVersion?: string
  readonly fields?: ObjectDetail
  /** Gets objects as soon as they are read, also of a list that fails later; the page has those that it did not get. */
  each?(object: Stored<T>): void
}

/** `metadata`: objects come without what is in them. */
export type ObjectDetail = 'full' | 'metadata'

export interface Page<T extends KubeObject> {
  readonly items: readonly Stored<T>[]
  readonly resourceVersion: string
  readonly continue?: string
  /** Bytes of its JSON. */
  readonly size: number
}

export interface WatchOptions extends ClientCall {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Events after this version; absent: what is there now, then what happens. */
  readonly resourceVersion?: string
  /** That is the version of a list which has just ended. */
  readonly follows?: boolean
  readonly timeoutSeconds?: number
  readonly fields?: ObjectDetail
  /** The server has begun to answer; events come when there are any. */
  readonly opened?: (() => void) | undefined
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  | { readonly type: 'ERROR'; readonly error: RequestError }

export interface WriteOptions extends ClientCall {
  readonly manager: string
  readonly dryRun?: boolean
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

/** Fields that the server does not know: refused, or only told of. */
export type FieldValidation = 'Strict' | 'Warn'

export interface ApplyOptions extends WriteOptions {
  readonly force?: boolean
  /** Put into the body as uid and resourceVersion; 'absent' asks the server to refuse an existing object. */
  readonly precondition: Precondition | 'any'
  readonly validate?: FieldValidation
  readonly subresource?: 'status'
}

/**
 * Lists and watches objects. `Of`: what marks the kinds that it may be used for; `unknown`: every kind. Its functions are properties, whose
 * arguments TypeScript compares strictly: a client for some kinds does not pass as one for all.
 */
export interface ListerWatcher<in Of = unknown> {
  /** Name for messages and meters. */
  readonly cluster: string
  readonly list: <T extends KubeObject>(
    kind: Kind<T> & Of,
    o: ListOptions<NoInfer<T>>,
  ) => Promise<KubeResult<Page<T>>>
  /** Ends without an error event when the server closes the stream in order. */
  readonly watch: <T extends KubeObject>(kind: Kind<T> & Of, o: WatchOptions) => AsyncIterable<WatchEvent<T>>
}

/** Reads and writes objects; `Of` as above. */
export interface ObjectClient<in Of = unknown> extends ListerWatcher<Of> {
  /** What time it is at the server, as its answers have said; undefined: none has yet. */
  readonly serverTime: ServerTime | undefined
  readonly get: <T extends KubeObject>(
    kind: Kind<T> & Of,
    key: Key,
    o: ClientCall,
  ) => Promise<KubeResult<Stored<T>>>
  readonly create: <T extends KubeObject>(
    kind: Kind<T> & Of,
    body: T,
    o: WriteOptions,
  ) => Promise<KubeResult<Stored<T>>>
  /** Server-side apply. */
  readonly apply: <T extends KubeObject>(
    kind: Kind<T> & Of,
    body: KubeObject,
    o: ApplyOptions,
  ) => Promise<KubeResult<Stored<T>>>
  /** JSON merge patch with a fence in its body. */
  readonly patch: <T extends KubeObject>(
    kind: Kind<T> & Of,
    key: Key,
    patch: JsonValue,
    o: WriteOptions & { precondition: Precondition | 'any'; subresource?: 'status' },
  ) => Promise<KubeResult<Stored<T>>>
  /** PUT: the compare-and-swap. The body's own uid and resourceVersion are the fence. */
  readonly update: <T extends KubeObject>(
    kind: Kind<T> & Of,
    body: Stored<T>,
    o: WriteOptions & { subresource?: 'status'; validate?: FieldValidation },
  ) => Promise<KubeResult<Stored<T>>>
  readonly delete: (
    kind: Kind & Of,
    key: Key,
    o: WriteOptions & { precondition: Precondition | 'any'; propagation?: Propagation },
  ) => Promise<KubeResult<void>>
}

export interface TokenOptions extends ClientCall {
  /** Seconds that the token is to last; a server grants at least 600, and may grant another time. */
  readonly seconds: number
}

export interface KubeClient extends ObjectClient {
  /** A new token of a ServiceAccount, for the API server itself. It says itself when it ends. */
  token(account: Key, o: TokenOptions): Promise<KubeResult<string>>
  /** The last lines of what a container of a Pod has written. */
  logs(pod: Key, o: LogOptions): Promise<KubeResult<string>>
  /** Which resources the server serves. */
  discover(o: ClientCall): Promise<KubeResult<readonly ServedResource[]>>
  close(): Promise<void>
}

/** A client whose user may act as others. */
export interface ImpersonatingClient extends KubeClient {
  /** The same connection, with the rights of another user: `system:serviceaccount:<namespace>:<name>`. */
  as(user: string): KubeClient
}

export interface ServedResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  /** As people may name it, too; lower case. */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** It has a status subresource. */
  readonly hasStatus: boolean
  /** The group's preferred version. */
  readonly preferred: boolean
}
