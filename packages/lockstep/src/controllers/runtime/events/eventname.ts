/** An Event as it is stored. Pure. */
import type { KubernetesEvent } from '@lockstep/kube/kinds'
import { digestOf, printableLines, type Stored, short10 } from '@lockstep/kube/object'
import type { EventNote } from './events.ts'

/** Limit of `note` (`k8s.io/api events/v1`). */
const MOST_BYTES = 1024
/** Characters of the object's name in the name of its Events. */
const MOST_NAME = 240

/**
 * The same object, reason and cause always give the same name: an Event that is written twice is one Event. The text is not in
 * the name, since it is for people only.
 */
export const eventName = ({ metadata: { name, uid } }: Stored, { reason, of }: EventNote): string =>
  `${name.slice(0, MOST_NAME).replace(/[-.]+$/, '')}.${short10(digestOf('event/4', [uid, reason, of]))}`

/** `at`: RFC 3339 with microseconds. `suppressed`: Events of the object that were not written before this one. */
export function eventOf(about: Stored, note: EventNote, at: string, suppressed: number): KubernetesEvent {
  const { name, namespace, uid, resourceVersion } = about.metadata
  const more =
    suppressed === 0 ? '' : ` (${suppressed} Event${suppressed === 1 ? '' : 's'} suppressed before)`
  const place = namespace === undefined ? {} : { namespace }
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      name: eventName(about, note),
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
      ...place,
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
