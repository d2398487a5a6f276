import type { ListerWatcher, ListOptions, ObjectDetail } from '../client/client.ts'
import { listProjected } from '../client/listall.ts'
import type { RequestError } from '../client/requesterror.ts'
import type { Cancel, Env } from '../env/env.ts'
import { sleep } from '../env/sleep.ts'
import { supervise } from '../env/supervise.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { backoffMs } from '../workqueue/backoff.ts'
import { type ObjectIndexes, ObjectStore, type ReadOnlyStore } from './objectstore.ts'

/** `Of`: what marks the kinds of its client. */
export interface InformerOptions<T extends KubeObject, P, Of = unknown> {
  readonly kind: Kind<T> & Of
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Runs at decode: what it drops never stays in memory. `before`: what it made of the object as it was. */
  /** Undefined: the object cannot be read, and is left out. */
  readonly project: (o: Stored<T>, before?: P) => P | undefined
  readonly indexes?: ObjectIndexes<P>
  readonly fields?: ObjectDetail
  /** Where watching is not permitted it is listed once in so many milliseconds. Absent: that is a failure. */
  readonly pollMs?: () => number
  /**
   * Nothing is listed, and no watch is resumed: each begins with what is there. Told the uid of what it begins with; says
   * whether that is the right one. If not the watch has failed.
   */
  readonly watchOnly?: (uid: string) => boolean
  /** How long a watch lasts at least and at most; absent: as long as servers let it. */
  readonly lasts?: WatchTime
  /** Longest pause, in milliseconds, before a read that was forbidden is tried again; default: as for other failures. */
  readonly forbiddenWaitMs?: number
  /** Called with each failure of a list or watch, and with undefined once it works again. */
  readonly onHealth?: (error: RequestError | undefined) => void
  /**
   * Called when watches open and deliver nothing, with the wall-clock milliseconds of the last event; then the kind is listed each
   * minute. Called with undefined once a watch delivers again.
   */
  readonly onMute?: (lastEventAt: number | undefined) => void
}

export interface WatchTime {
  readonly leastSeconds: number
  readonly mostSeconds: number
}

export interface Informer<T extends KubeObject, P> {
  readonly store: ReadOnlyStore<P>
  /** Puts the answer of a write of our own into the store. */
  observeWrite(object: Stored<T>): void
  /** Watching is not permitted: what is known is as old as the last list. */
  readonly polls: boolean
  /** Begins again with a list. */
  relist(): void
  /** Lists a kind whose watch is silent. Changes in the list count against the watch, see `onMute`. */
  refresh(): void
  stop(): void
}

/** Limit between two events or bookmarks, which come each 60 s. The watch may be dead: the next read is a list. */
const SILENCE_MS = 150_000
/** Lists after a silence that had changes, until the watches of the kind count as mute. */
const MOST_MISSED = 2
const MUTE_POLL_MS = 60_000
/** Malformed watches in a row until they are reported. Before that a list repairs the cache. */
const MOST_MALFORMED = 3
/** A watch that ends sooner without an event is a failure: it would begin again and again. */
const LEAST_WATCH_MS = 1000
/** As kube-apiserver ends them itself (`--min-request-timeout`). What begins together does not begin anew together. */
const USUAL: WatchTime = { leastSeconds: 1800, mostSeconds: 3600 }

/** Lists once, then watches for ever: resumes at its version after a disconnect, lists again after 410. */
export function startInformer<T extends KubeObject, P, Of = unknown>(
  env: Env,
  client: ListerWatcher<Of>,
  o: InformerOptions<T, P, Of>,
): Informer<T, P> {
  const store = new ObjectStore<T, P>(o.project, o.indexes ?? {})
  const stopping = new AbortController()
  const loop = new InformerLoop(env, client, o, store, stopping.signal)
  supervise(env, () => loop.run())
  return {
    store,
    observeWrite: (object) => store.observeWrite(object),
    get polls() {
      return loop.polls
    },
    relist: () => loop.restart(),
    refresh: () => loop.refresh(),
    stop: () => stopping.abort(),
  }
}

/** A server that is back is noticed within so many milliseconds, and a fifth. */
const MOST_WAIT_MS = 25_000

class InformerLoop<T extends KubeObject, P, Of> {
  private readonly env: Env
  private readonly client: ListerWatcher<Of>
  private readonly o: InformerOptions<T, P, Of>
  private readonly store: ObjectStore<T, P>
  private readonly stop: AbortSignal
  polls = false
  private failures = 0
  /** An error was told, and not yet that it is over. */
  private isUnwell = false
  private mustList = true
  /** The next watch goes on where a list has just ended. */
  private hasListed = false
  /** No watch has begun yet. */
  private isFirst = true
  private current = new AbortController()
  /** Watches that were too old in a row: the first is normal, more of them would make a loop. */
  private expired = 0
  /** Watches with a malformed line in a row. */
  private malformed = 0
  /** The list to come follows a silence. */
  private wasSilent = false
  private missed = 0
  private lastEventAt: number

  constructor(
    env: Env,
    client: ListerWatcher<Of>,
    o: InformerOptions<T, P, Of>,
    store: ObjectStore<T, P>,
    stop: AbortSignal,
  ) {
    this.env = env
    this.client = client
    this.o = o
    this.store = store
    this.stop = stop
    this.lastEventAt = env.clock.now()
    stop.addEventListener('abort', () => this.current.abort(), { once: true })
  }

  restart(): void {
    this.mustList = true
    this.current.abort()
  }

  refresh(): void {
    this.wasSilent = true
    this.restart()
  }

  async run(): Promise<void> {
    while (!this.stop.aborted) {
      this.current = new AbortController()
      const failed = this.mustList && !this.o.watchOnly ? await this.listAll() : await this.watchOnce()
      if (this.stop.aborted) return
      if (failed) await this.rest(failed)
      else this.recovered()
    }
  }

  private recovered(): void {
    this.answered()
    this.failures = 0
  }

  /** A watch has delivered an event or a bookmark. */
  private delivered(): void {
    this.malformed = 0
    this.recovered()
    this.polls = false
    this.expired = 0
    this.lastEventAt = this.env.clock.now()
    if (this.isMute) this.o.onMute?.(undefined)
    this.missed = 0
  }

  private get isMute(): boolean {
    return this.missed >= MOST_MISSED
  }

  /** Whoever answers is there, also where nothing happens: the first news of a watch may be a minute away. */
  private answered(): void {
    // A list says nothing about watches.
    if (this.malformed >= MOST_MALFORMED) return
    if (this.isUnwell) this.o.onHealth?.(undefined)
    this.isUnwell = false
  }

  private async rest(error: RequestError): Promise<void> {
    if (error.kind === 'Expired') {
      this.mustList = true
      if (this.expired++ > 0) await this.pause(backoffMs(this.expired - 2, this.env.random, MOST_WAIT_MS))
      return
    }
    // A restart asked for from outside is no failure.
    if (error.kind === 'Aborted') return
    if (error.kind === 'Forbidden' && error.verb === 'watch' && this.o.pollMs) return this.poll()
    if (error.kind === 'Malformed' && error.verb === 'watch') {
      this.mustList = true
      if (++this.malformed >= MOST_MALFORMED) this.unwell(error)
      return this.pause(backoffMs(this.malformed - 1, this.env.random, MOST_WAIT_MS))
    }
    this.unwell(error)
    const wait =
      error.kind === 'Throttled'
        ? error.retryAfterMs
        : backoffMs(this.failures++, this.env.random, this.mostWaitMs(error))
    await this.pause(wait)
  }

  private unwell(error: RequestError): void {
    this.isUnwell = true
    this.o.onHealth?.(error)
  }

  private pause(ms: number): Promise<void> {
    return sleep(this.env.clock, ms, this.stop)
  }

  private mostWaitMs({ kind }: RequestError): number {
    return (kind === 'Forbidden' && this.o.forbiddenWaitMs) || MOST_WAIT_MS
  }

  /** Each round asks for a watch again: whoever gets the right needs no restart. A restart asks at once. */
  private async poll(): Promise<void> {
    this.polls = true
    await sleep(this.env.clock, this.o.pollMs!(), this.current.signal)
    this.mustList = true
  }

  private async listAll(): Promise<RequestError | undefined> {
    const listed = await listProjected(this.client, this.o.kind, this.scope(), (item: Stored<T>) =>
      this.store.listed(item),
    )
    // Half a list is no list: what a failed page would have held must not look deleted.
    if (!listed.ok) return listed.error
    const { items, resourceVersion } = listed.value
    const hasChanged = this.store.replace(items, resourceVersion, this.env.clock.steady())
    this.mustList = false
    this.hasListed = true
    if (this.wasSilent && hasChanged && !this.isMute && ++this.missed === MOST_MISSED)
      this.o.onMute?.(this.lastEventAt)
    this.wasSilent = false
    return undefined
  }

  private async watchOnce(): Promise<RequestError | undefined> {
    const silence = this.watchSilence()
    const beganAt = this.env.clock.steady()
    let hasDelivered = false
    let isRight = this.o.watchOnly
    const follows = this.hasListed
    this.hasListed = false
    try {
      const { resourceVersion } = this.store.freshness
      for await (const event of this.client.watch(this.o.kind, {
        ...this.scope(),
        ...(isRight ? {} : { resourceVersion }),
        ...(follows ? { follows } : {}),
        timeoutSeconds: this.drawSeconds(),
        opened: () => this.answered(),
      })) {
        const now = this.env.clock.steady()
        if (event.type === 'ERROR') return event.error
        if ('object' in event && isRight?.(event.object.metadata.uid) === false)
          return anotherError(this.client.cluster, this.o.kind, event.object.metadata)
        isRight = undefined
        hasDelivered = true
        this.delivered()
        silence.heard()
        if (event.type === 'BOOKMARK') this.store.heard(event.resourceVersion, now)
        else this.store.event(event.type, event.object, now)
      }
      const isShort = !hasDelivered && this.env.clock.steady() - beganAt < LEAST_WATCH_MS
      return isShort ? endedAtOnce(this.client.cluster, this.o.kind) : undefined
    } finally {
      silence.cancel()
    }
  }

  /** The first one a part of that: of many that begin together as many end each minute from the beginning on. */
  private drawSeconds(): number {
    const { random } = this.env
    const { leastSeconds, mostSeconds } = this.o.lasts ?? USUAL
    const seconds = leastSeconds + Math.floor(random.next() * (mostSeconds - leastSeconds))
    if (!this.isFirst) return seconds
    this.isFirst = false
    return Math.ceil(seconds * (1 - random.next()))
  }

  private watchSilence(): { heard: () => void; cancel: Cancel } {
    const { clock } = this.env
    const over = (): void => {
      this.store.fellSilent()
      // A connection that was lost without a message stays silent for ever. A proxy may also hold the events back.
      this.refresh()
    }
    const arm = (): Cancel => clock.at(clock.steady() + SILENCE_MS, over)
    let cancel = arm()
    let endPolls = this.isMute ? this.pollMute() : undefined
    return {
      heard() {
        cancel()
        cancel = arm()
        endPolls?.()
        endPolls = undefined
      },
      cancel() {
        cancel()
        endPolls?.()
      },
    }
  }

  /** Lists beside a watch that may stay silent: a repaired watch is noticed at its first event. */
  private pollMute(): Cancel {
    const { clock } = this.env
    const arm = (): Cancel =>
      clock.at(clock.steady() + MUTE_POLL_MS, () => {
        cancel = arm()
        supervise(this.env, () => this.listAll())
      })
    let cancel = arm()
    return () => cancel()
  }

  private scope(): ListOptions {
    const { namespace, labelSelector, fieldSelector, fields } = this.o
    return {
      purpose: 'sync',
      signal: this.current.signal,
      ...(namespace ? { namespace } : {}),
      ...(labelSelector ? { labelSelector } : {}),
      ...(fieldSelector ? { fieldSelector } : {}),
      ...(fields ? { fields } : {}),
    }
  }
}

const endedAtOnce = (cluster: string, { group, kind }: Kind): RequestError => ({
  cluster,
  verb: 'watch',
  ref: { group, kind, name: '' },
  wrote: 'no',
  kind: 'Unreachable',
  phase: 'receive',
  detail: 'the watch ended at once, without an event',
})

const anotherError = (
  cluster: string,
  { group, kind }: Kind,
  { name, uid }: Stored['metadata'],
): RequestError => ({
  cluster,
  verb: 'watch',
  ref: { group, kind, name },
  wrote: 'no',
  kind: 'Unreachable',
  phase: 'receive',
  detail: `another one answers there (uid ${uid})`,
})
