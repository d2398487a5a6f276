/** Writes Events: for people, never for a decision. One that cannot be written is not written. */

import { requestErrorText } from '@lockstep/kube/client'
import { type Env, supervise } from '@lockstep/kube/env'
import type { KubernetesEvent } from '@lockstep/kube/kinds'
import { digestOf, microTimestamp, printableLines, type Stored, short10 } from '@lockstep/kube/object'
import { MANAGER } from '../../api/labels.ts'
import { type RecordClient, records } from '../../api/records.ts'
import type { EventNote } from './events.ts'

/** What is said of an object is not said again for so long. */
const ONCE_IN_MS = 10 * 60_000
const MOST_REMEMBERED = 10_000
/** What the API takes (`k8s.io/api events/v1`: note). */
const MOST_BYTES = 1024

export class EventRecorder {
  private readonly env: Env
  private readonly client: RecordClient
  /** When something was said last, by uid, reason and what it is about; the oldest first. */
  private readonly said = new Map<string, number>()

  constructor(env: Env, client: RecordClient) {
    this.env = env
    this.client = client
  }

  /** At most one a reason and object, and what of it, in ten minutes. */
  record(about: Stored, notes: readonly EventNote[]): void {
    for (const note of notes) {
      const key = `${about.metadata.uid} ${note.reason} ${note.of ?? ''}`
      const now = this.env.clock.steady()
      if (now - (this.said.get(key) ?? Number.NEGATIVE_INFINITY) < ONCE_IN_MS) continue
      this.said.delete(key)
      this.said.set(key, now)
      const [oldest] = this.said.keys()
      if (this.said.size > MOST_REMEMBERED && oldest !== undefined) this.said.delete(oldest)
      supervise(this.env, () => this.write(about, note))
    }
  }

  private async write(about: Stored, note: EventNote): Promise<void> {
    const event = eventOf(about, note, microTimestamp(this.env.clock.now()))
    const done = await this.client.create(records.event, event, { purpose: 'event', manager: MANAGER })
    if (!done.ok && done.error.kind !== 'AlreadyExists' && done.error.kind !== 'Aborted')
      this.env.log.debug('event not written', { reason: note.reason, error: requestErrorText(done.error) })
  }
}

/** Named by what it is about and when: the same one is not written twice, and the text is for people only. */
function eventOf(about: Stored, note: EventNote, at: string): KubernetesEvent {
  const { name, namespace, uid, resourceVersion } = about.metadata
  const id = short10(digestOf('event/2', [uid, note.reason, note.of ?? '', at]))
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
    note: cutBytes(printableLines(note.text), MOST_BYTES),
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
