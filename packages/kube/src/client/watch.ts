import { StreamBroken } from '../env/net.ts'
import type { Kind } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import type { Key } from '../object/objectref.ts'
import type { ObjectDetail, WatchEvent, WatchOptions } from './client.ts'
import { type Decoded, decodeWatchLine, type WatchLine } from './decode.ts'
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
  const asked = { kind, key: { ...key, ...nameOf(o) }, fields: o.fields }
  const watching = wire.watching()
  try {
    const opened = await wire.openJson(sent)
    if (!opened.ok) {
      yield { type: 'ERROR', error: opened.error }
      return
    }
    watching.opened()
    o.opened?.()
    for await (const line of opened.value.lines()) {
      if (line === '') continue
      watching.heard()
      const event = eventOf<T>(wire, sent, decodeWatchLine(line, asked))
      yield event
      if (event.type === 'ERROR') return
    }
  } catch (e) {
    if (!(e instanceof StreamBroken)) throw e
    yield { type: 'ERROR', error: wire.netError(sent, e.failure) }
  } finally {
    watching.ended()
  }
}

/** The one name that a selector asks for. */
export function nameOf({ fieldSelector }: Pick<WatchOptions, 'fieldSelector'>): Partial<Key> {
  const name = /^metadata\.name=([^,]+)$/.exec(fieldSelector ?? '')?.[1]
  return name === undefined ? {} : { name }
}

function eventOf<T extends KubeObject>(
  wire: ClientWire,
  sent: Sent,
  line: Decoded<WatchLine<T>>,
): WatchEvent<T> {
  if (!line.ok) return { type: 'ERROR', error: wire.malformed(sent, line.error) }
  if (line.value.type !== 'Status') return line.value
  const context = { cluster: wire.cluster, verb: 'watch', ref: wire.refOf(sent) } as const
  return { type: 'ERROR', error: statusErrorFromStatus(context, line.value.status) }
}
