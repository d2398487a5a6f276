/**
 * The only way from the text of an answer to objects; `ListDecoder` does the same for lists. Another program than a Kubernetes API
 * server may answer, so every field that types promise is checked. Pure. A problem is one clause for people and quotes at most a
 * name from the answer.
 */
import { err, ok, type Result } from '../env/result.ts'
import { JsonSyntaxError, parseJson } from '../object/encode.ts'
import { at, type JsonObject, type JsonValue } from '../object/json.ts'
import type { Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { apiVersionOf } from '../object/objectref.ts'
import type { WatchEvent } from './client.ts'
import { type AnswerFault, fault, JsonScanner } from './jsonscanner.ts'
import { type AskedObjects, isText, kindFault, objectFault } from './objectfault.ts'

export type Decoded<T> = Result<T, AnswerFault>

/** JSON text as a value. */
export function decodeJson(text: string): Decoded<JsonValue> {
  const problem = new JsonScanner().push(text)
  if (problem) return err(problem)
  try {
    return ok(parseJson(text))
  } catch (e) {
    if (!(e instanceof JsonSyntaxError)) throw e
    return fault(`broken JSON at offset ${e.offset} of ${text.length}`)
  }
}

/** One object, requested by name or written. */
export function decodeObject<T extends KubeObject>(text: string, asked: AskedObjects): Decoded<Stored<T>> {
  const value = decodeJson(text)
  if (!value.ok) return value
  const problem =
    kindFault(value.value, [asked.kind.kind], apiVersionOf(asked.kind)) ?? objectFault(value.value, asked)
  return problem === undefined ? ok(value.value as unknown as Stored<T>) : fault(problem)
}

/** An event of a watch; `Status`: the server ends the watch and gives its reason. */
export type WatchLine<T extends KubeObject> =
  | Exclude<WatchEvent<T>, { readonly type: 'ERROR' }>
  | { readonly type: 'Status'; readonly status: JsonObject }

export function decodeWatchLine<T extends KubeObject>(
  line: string,
  asked: AskedObjects,
): Decoded<WatchLine<T>> {
  const decoded = decodeJson(line)
  if (!decoded.ok) return decoded
  const [type, object] = [at(decoded.value, 'type'), at(decoded.value, 'object')]
  if (type === 'ERROR') {
    const problem = kindFault(object, ['Status'], 'v1')
    return problem === undefined
      ? ok({ type: 'Status', status: object as JsonObject })
      : fault(`an event: ${problem}`)
  }
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && type !== 'BOOKMARK')
    return fault('an event of an unknown type')
  const apiVersion = apiVersionOf(asked.kind)
  const { kind } = asked.kind
  const isPartial = asked.fields === 'metadata'
  const wrong = isPartial
    ? kindFault(object, ['PartialObjectMetadata'], 'meta.k8s.io/v1')
    : kindFault(object, [kind], apiVersion)
  if (wrong !== undefined) return fault(`an event: ${wrong}`)
  if (type === 'BOOKMARK') {
    const resourceVersion = at(object, 'metadata', 'resourceVersion')
    return isText(resourceVersion)
      ? ok({ type, resourceVersion })
      : fault('a bookmark without metadata.resourceVersion')
  }
  const problem = objectFault(object, asked)
  if (problem !== undefined) return fault(`an event: ${problem}`)
  const stored = object as unknown as Stored<T>
  return ok({ type, object: isPartial ? { ...stored, apiVersion, kind } : stored })
}

/** The answer to a deletion: the object, or a Status. */
export function decodeDeletion(text: string, { kind }: AskedObjects): Decoded<void> {
  const value = decodeJson(text)
  if (!value.ok) return value
  const said = at(value.value, 'kind')
  const problem =
    said === 'Status'
      ? kindFault(value.value, ['Status'], 'v1')
      : kindFault(value.value, [kind.kind], apiVersionOf(kind))
  return problem === undefined ? ok(undefined) : fault(problem)
}
