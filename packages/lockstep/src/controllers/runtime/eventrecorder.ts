/** Writes Events: for people, never for a decision. One that cannot be written is not written. */

import { requestErrorText } from '@lockstep/kube/client'
import { type Env, supervise } from '@lockstep/kube/env'
import type { KubernetesEvent } from '@lockstep/kube/kinds'
import { digestOf, microTimestamp, printableLines, type Stored, short10 } from '@lockstep/kube/object'
import { MANAGER } from '../../api/labels.ts'
import { type RecordClient, records } from '../../api/records.ts'
import type { EventNote } from './events.ts'

/** Milliseconds between two Events of one key: uid, reason and `of`. */
const ONCE_IN_MS = 10 * 60_000
/** Events of one object at once, then one in this time, as in client-go (`tools/record/events_cache.go`). */
const BURST = 25
const REFILL_MS = 5 * 60_000
const MOST_REMEMBERED = 10_000
/** Events of all objects in a second: people read them, and other requests deliver. */
const MOST_A_SECOND = 20
/** Events that wait for their turn; the next ones are dropped. */
const MOST_WAITING = 1000
/** What the API takes (`k8s.io/api events/v1`: note). */
const MOST_BYTES = 1024

export class EventRecorder {
  private readonly env: Env
  private readonly client: RecordClient
  private readonly stopping: AbortSignal | undefined
  /** When an Event was written last, by key; the oldest first. */
  private readonly writtenAt = new Map<string, number>()
  /** Events of this process, for their names. */
  private count = 0
  /** By uid; the oldest first. */
  private readonly limits = new Map<string, EventLimit>()
  private readonly waiting: KubernetesEvent[] = []
  /** Steady milliseconds of the last 20 writes, the oldest first. */
  private readonly sentAt: number[] = []

  constructor(env: Env, client: RecordClient, stopping?: AbortSignal) {
    this.env = env
    this.client = client
    this.stopping = stopping
  }

  /**
   * At most one a key in ten minutes, and of an object 25, then one in five minutes. The next one counts the suppressed. All of
   * them are written in turn, at most 20 a second.
   */
  record(about: Stored, notes: readonly EventNote[]): void {
    const { uid } = about.metadata
    for (const note of notes) {
      const now = this.env.clock.steady()
      const key = `${uid} ${note.reason} ${note.of}`
      const limit = refilled(this.limits.get(uid), now)
      remember(this.limits, uid, limit)
      const isRepeated = now - (this.writtenAt.get(key) ?? Number.NEGATIVE_INFINITY) < ONCE_IN_MS
      if (isRepeated || limit.left < 1 || this.waiting.length >= MOST_WAITING) {
        limit.suppressed += 1
        continue
      }
      const { suppressed } = limit
      remember(this.limits, uid, { ...limit, left: limit.left - 1, suppressed: 0 })
      remember(this.writtenAt, key, now)
      const at = microTimestamp(this.env.clock.now())
      this.waiting.push(eventOf(about, note, at, suppressed, this.count++))
      if (this.waiting.length === 1) this.writeInTurn()
    }
  }

  /** The first of those that wait, now or when it is its turn; then the others. */
  private writeInTurn(): void {
    const { clock } = this.env
    const [event] = this.waiting
    if (event === undefined || this.stopping?.aborted) return
    const nextAt = this.sentAt.length < MOST_A_SECOND ? 0 : this.sentAt[0]! + 1000
    if (clock.steady() < nextAt) {
      clock.at(nextAt, () => this.writeInTurn())
      return
    }
    this.sentAt.splice(0, this.sentAt.length - MOST_A_SECOND + 1)
    this.sentAt.push(clock.steady())
    supervise(this.env, () => this.write(event))
    this.waiting.shift()
    this.writeInTurn()
  }

  private async write(event: KubernetesEvent): Promise<void> {
    const done = await this.client.create(records.event, event, { purpose: 'event', manager: MANAGER })
    const { reason = '', regarding } = event
    if (done.ok) this.env.meters.count('lockstep_events_total', { kind: regarding?.kind ?? '', reason })
    if (!done.ok && done.error.kind !== 'AlreadyExists' && done.error.kind !== 'Aborted')
      this.env.log.debug('event not written', { reason: event.reason, error: requestErrorText(done.error) })
  }
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
    ? { ...known, left: Math.min(BURST, known.left + (now - known.at) / REFILL_MS), at: now }
    : { left: BURST, at: now, suppressed: 0 }

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MOST_REMEMBERED && oldest !== undefined) map.delete(oldest)
}

/** The name has nothing of the text, which is for people only. `n`: number of the Event in its process. */
function eventOf(about: Stored, note: EventNote, at: string, suppressed: number, n: number): KubernetesEvent {
  const { name, namespace, uid, resourceVersion } = about.metadata
  const more =
    suppressed === 0 ? '' : ` (${suppressed} Event${suppressed === 1 ? '' : 's'} suppressed before)`
  const id = short10(digestOf('event/3', [uid, note.reason, at, n]))
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: `${name.slice(0, 240)}.${id}`,
      namespace: namespace ?? 'default',
      ...(note.annotations ? { annotations: note.annotations } : {}),
    },
    eventTime: at,
    reportingController: 'lockstep.dev/controller',
    reportingInstance: 'lockstep-controller',
    action: note.action,
    reason: note.reason,
    type: note.type,
    note: `${cutBytes(printableLines(note.text), MOST_BYTES - more.length)}${more}`,
    regarding: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
    },
  }
}

function cutBytes(text: string, most: number): string {
  const encoder = new TextEncoder()
  if (encoder.encode(text).length <= most) return text
  let end = Math.min(text.length, most)
  while (encoder.encode(`${text.slice(0, end)}…`).length > most) end--
  return `${text.slice(0, end)}…`
}
