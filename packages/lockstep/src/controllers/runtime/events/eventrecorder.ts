/** Writes Events: for people, never for a decision. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { type Env, supervise } from '@lockstep/kube/env'
import type { KubernetesEvent } from '@lockstep/kube/kinds'
import { keyOf, microTimestamp, parseTimestampMs, type Stored } from '@lockstep/kube/object'
import { MANAGER } from '../../../api/labels.ts'
import { type RecordClient, records } from '../../../api/records.ts'
import { eventName, eventOf } from './eventname.ts'
import type { EventNote } from './events.ts'
import { logNote } from './logline.ts'

/** Milliseconds between two writes of one Event. */
const ONCE_IN_MS = 10 * 60_000
/** Events of one object at once, then one in this time, as in client-go (`tools/record/events_cache.go`). */
const BURST = 25
const REFILL_MS = 5 * 60_000
const MOST_REMEMBERED = 10_000
/** Events of all objects in a second: people read them, and other requests deliver. */
const MOST_A_SECOND = 20
/** Events that wait for their turn; the next ones are dropped. */
const MOST_WAITING = 1000
/** Tries of one Event, and milliseconds between two (client-go: `maxTriesPerEvent`, `defaultSleepDuration`). */
const MOST_TRIES = 12
const RETRY_MS = 10_000
/** Milliseconds after which kube-apiserver deletes an Event (`--event-ttl`). */
const EVENT_TTL_MS = 60 * 60_000

export class EventRecorder {
  private readonly env: Env
  private readonly client: Pick<RecordClient, 'create' | 'patch'>
  private readonly stopping: AbortSignal | undefined
  /** By uid and name of the Event; the oldest first. */
  private readonly written = new Map<string, WrittenEvent>()
  /** By uid; the oldest first. */
  private readonly limits = new Map<string, EventLimit>()
  private readonly waiting: PendingEvent[] = []
  /** Events that a former leader may have written; they come after all others. */
  private readonly repeated: PendingEvent[] = []
  /** Steady milliseconds of the last 20 writes, the oldest first. */
  private readonly sentAt: number[] = []
  private isTimed = false

  constructor(env: Env, client: Pick<RecordClient, 'create' | 'patch'>, stopping?: AbortSignal) {
    this.env = env
    this.client = client
    this.stopping = stopping
  }

  /**
   * An Event that comes again is counted in its `series`, at most once in ten minutes. An object has 25 Events, then one in five
   * minutes, and the next one counts the suppressed. All of them are written in turn, at most 20 a second.
   */
  record(about: Stored, notes: readonly EventNote[]): void {
    const { uid } = about.metadata
    for (const note of notes) {
      const now = this.env.clock.steady()
      const key = `${uid} ${eventName(about, note)}`
      const before = this.written.get(key)
      const count = (before?.count ?? 0) + 1
      const isRepeated = before !== undefined && now - before.at < ONCE_IN_MS
      logNote(this.env.log, about, note, isRepeated)
      const limit = refilled(this.limits.get(uid), now)
      remember(this.limits, uid, limit)
      const isSuppressed = limit.left < 1 || this.waiting.length >= MOST_WAITING
      if (isRepeated || isSuppressed) {
        if (before) before.count = count
        else limit.suppressed += 1
        continue
      }
      const { suppressed } = limit
      remember(this.limits, uid, { at: limit.at, left: limit.left - 1, suppressed: 0 })
      remember(this.written, key, { at: now, count })
      const event = eventOf(about, note, microTimestamp(this.env.clock.now()), suppressed)
      this.waiting.push({ event, count, tries: 0 })
    }
    this.writeInTurn()
  }

  /**
   * Writes what a former leader may not have written: it ended between a status and its Event. What exists stays as it is. Events
   * that the server has deleted since are not written again, but for warnings that hold.
   */
  repeat(about: Stored, notes: readonly EventNote[]): void {
    const { clock } = this.env
    for (const note of notes) {
      const at = parseTimestampMs(note.at ?? '') ?? clock.now()
      if (note.type === 'Normal' && clock.now() - at > EVENT_TTL_MS) continue
      const event = eventOf(about, note, microTimestamp(at), 0)
      const created = (): void => logNote(this.env.log, about, note)
      this.repeated.push({ event, count: 1, tries: 0, created })
    }
    this.writeInTurn()
  }

  /** The first of those that wait, now or when it is its turn; then the others. */
  private writeInTurn(): void {
    const { clock } = this.env
    for (;;) {
      const next = this.waiting[0] ?? this.repeated[0]
      if (next === undefined || this.isTimed || this.stopping?.aborted) return
      const nextAt = this.sentAt.length < MOST_A_SECOND ? 0 : this.sentAt[0]! + 1000
      if (clock.steady() < nextAt) {
        this.isTimed = true
        clock.at(nextAt, () => {
          this.isTimed = false
          this.writeInTurn()
        })
        return
      }
      if (this.waiting.length > 0) this.waiting.shift()
      else this.repeated.shift()
      this.sentAt.splice(0, this.sentAt.length - MOST_A_SECOND + 1)
      this.sentAt.push(clock.steady())
      supervise(this.env, () => this.write(next))
    }
  }

  private async write(pending: PendingEvent): Promise<void> {
    const { event, count, created } = pending
    const counted = count > 1 ? await this.count(event, count) : undefined
    if (counted && counted.kind !== 'NotFound') return this.failed(pending, counted)
    if (count > 1 && !counted) return
    const done = await this.client.create(records.event, event, WRITE)
    const { reason = '', regarding } = event
    if (done.ok) {
      this.env.meters.count('lockstep_events_total', { kind: regarding?.kind ?? '', reason })
      created?.()
      return
    }
    if (done.error.kind !== 'AlreadyExists') return this.failed(pending, done.error)
    // Of an earlier process; of this one, if the answer to the first try was lost.
    if (created || pending.tries > 0) return
    const again = await this.count(event, 2)
    if (again) this.failed(pending, again)
  }

  /** Undefined: counted. */
  private async count(event: KubernetesEvent, count: number): Promise<RequestError | undefined> {
    const body = { series: { count, lastObservedTime: event.eventTime ?? '' } }
    const done = await this.client.patch(records.event, keyOf(event), body, ANY)
    return done.ok ? undefined : done.error
  }

  /** Another try of a request that a server did not answer or could not serve; its name makes it safe. */
  private failed(pending: PendingEvent, error: RequestError): void {
    const tries = pending.tries + 1
    if (error.kind === 'Aborted') return
    if (!MAY_PASS.has(error.kind) || tries >= MOST_TRIES) {
      this.env.log.debug('event not written', { reason: pending.event.reason, err: requestErrorText(error) })
      return
    }
    const { clock } = this.env
    clock.at(clock.steady() + RETRY_MS, () => {
      this.waiting.push({ ...pending, tries })
      this.writeInTurn()
    })
  }
}

const WRITE = { purpose: 'event', manager: MANAGER } as const
const ANY = { purpose: 'event', manager: MANAGER, precondition: 'any' } as const

const MAY_PASS: ReadonlySet<RequestError['kind']> = new Set([
  'Unreachable',
  'Deadline',
  'Throttled',
  'Server',
])

interface PendingEvent {
  readonly event: KubernetesEvent
  /** How often it happened; 1: the Event is created. */
  readonly count: number
  readonly tries: number
  /** The Event is one that a former leader may have written; called if it had not. */
  readonly created?: () => void
}

interface WrittenEvent {
  /** Steady milliseconds of the last write. */
  readonly at: number
  count: number
}

/** Events that may be written of an object, as of `at`. */
interface EventLimit {
  readonly left: number
  readonly at: number
  /** Since the last Event of the object. */
  suppressed: number
}

const refilled = (known: EventLimit | undefined, now: number): EventLimit =>
  known
    ? {
        left: Math.min(BURST, known.left + (now - known.at) / REFILL_MS),
        at: now,
        suppressed: known.suppressed,
      }
    : { left: BURST, at: now, suppressed: 0 }

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest)
}
