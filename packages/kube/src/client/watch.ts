import { StreamBroken } from '../env/net.ts'
import { parseJson } from '../object/encode.ts'
import { at, type JsonObject } from '../object/json.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { apiVersionOf } from '../object/objectref.ts'
import type { ObjectDetail, WatchEvent, WatchOptions } from './client.ts'
import { objectPath, queryOf } from './objectpath.ts'
import { statusErrorFromStatus } from './statuserror.ts'
import type { ClientWire, Sent } from './wire.ts'

/** Asks for the metadata alone: nothing else of the objects goes over the wire. */
export const acceptOf = (as: string, fields: ObjectDetail | undefined): Pick<Sent, 'accept'> =>
  fields === 'metadata' ? { accept: `application/json;as=${as};g=meta.k8s.io;v=v1` } : {}

/** One watch request. A broken stream, or an ERROR of the server, is the last event. */
export async function* watchEvents<T extends KubeObject>(
  wire: ClientWire,
  kind: Kind<T>,
  o: WatchOptions,
): AsyncIterable<WatchEvent<T>> {
  const key = o.namespace ? { namespace: o.namespace } : {}
  const query = queryOf({
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: o.resourceVersion,
    labelSelector: o.labelSelector,
    fieldSelector: o.fieldSelector,
    timeoutSeconds: o.timeoutSeconds,
  })
  const path = objectPath(kind, key) + query
  const accept = acceptOf('PartialObjectMetadata', o.fields)
  const sent: Sent = { verb: 'watch', kind, key, method: 'GET', path, ...accept, call: o }
  const opened = await wire.open(sent)
  if (!opened.ok) {
    yield { type: 'ERROR', error: opened.error }
    return
  }
  o.opened?.()
  try {
    for await (const line of opened.value.lines()) {
      if (line === '') continue
      const event = decode<T>(wire, sent, line)
      yield o.fields === 'metadata' && 'object' in event
        ? { ...event, object: { ...event.object, apiVersion: apiVersionOf(kind), kind: kind.kind } }
        : event
      if (event.type === 'ERROR') return
    }
  } catch (e) {
    if (!(e instanceof StreamBroken)) throw e
    yield { type: 'ERROR', error: wire.netError(sent, e.failure) }
  }
}

function decode<T extends KubeObject>(wire: ClientWire, sent: Sent, line: string): WatchEvent<T> {
  const event = parseJson(line) as JsonObject
  const object = event.object as unknown as Stored<T>
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object }
    case 'BOOKMARK':
      return { type: 'BOOKMARK', resourceVersion: String(at(event.object, 'metadata', 'resourceVersion')) }
    default:
      return {
        type: 'ERROR',
        error: statusErrorFromStatus(
          { cluster: wire.cluster, verb: 'watch', ref: wire.refOf(sent) },
          event.object ?? null,
        ),
      }
  }
}
