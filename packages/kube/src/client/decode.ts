/**
 * The only way from the text of an answer to objects. Another program than a Kubernetes API server may answer, so every field
 * that types promise is checked. Pure. A problem is one clause for people and quotes at most a name from the answer.
 */
import { err, ok, type Result } from '../env/result.ts'
import { JsonSyntaxError, parseJson } from '../object/encode.ts'
import { at, isArray, isObject, isString, type JsonObject, type JsonValue } from '../object/json.ts'
import type { Kind, Stored } from '../object/kind.ts'
import type { KubeObject } from '../object/kubeobject.ts'
import { apiVersionOf, type Key } from '../object/objectref.ts'
import type { ObjectDetail, Page, WatchEvent } from './client.ts'

/** Levels of nested objects and lists. Recursive functions overflow the stack at deeper values. */
const MAX_DEPTH = 512
/** Values of one answer: `[{},{}` takes 20 times its length in memory. */
const MAX_VALUES = 2_000_000

export interface AnswerFault {
  readonly problem: string
  /** A smaller part of the answer may be accepted. */
  readonly isTooLong: boolean
}

export type Decoded<T> = Result<T, AnswerFault>

/** Kind, place and detail of a request. */
export interface AskedObjects {
  readonly kind: Kind
  /** Name and namespace that every object must have; absent: any. */
  readonly key: Partial<Key>
  readonly fields?: ObjectDetail | undefined
  /** An object that was not stored has neither uid nor version. */
  readonly isDryRun?: boolean | undefined
}

export const fault = (problem: string): { readonly ok: false; readonly error: AnswerFault } =>
  err({ problem, isTooLong: false })

/** JSON text as a value. */
export function decodeJson(text: string): Decoded<JsonValue> {
  const problem = sizeFault(text)
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

/** One page of a list. Its items get the requested kind and version: a real server omits them. */
export function decodePage<T extends KubeObject>(text: string, asked: AskedObjects): Decoded<Page<T>> {
  const decoded = decodeJson(text)
  if (!decoded.ok) return decoded
  const { value } = decoded
  const { kind } = asked.kind
  const isPartial = asked.fields === 'metadata'
  const wrong = isPartial
    ? kindFault(value, ['PartialObjectMetadataList'], 'meta.k8s.io/v1')
    : at(value, 'kind') === 'List'
      ? kindFault(value, ['List'], 'v1')
      : kindFault(value, [`${kind}List`], apiVersionOf(asked.kind))
  if (wrong !== undefined) return fault(wrong)
  const [resourceVersion, next] = [
    at(value, 'metadata', 'resourceVersion'),
    at(value, 'metadata', 'continue') ?? '',
  ]
  if (!isText(resourceVersion)) return fault('metadata.resourceVersion of the list is missing')
  if (!isString(next)) return fault('metadata.continue of the list is not a text')
  const items = at(value, 'items') ?? []
  if (!isArray(items)) return fault('items of the list are not a list')
  const apiVersion = apiVersionOf(asked.kind)
  const objects: Stored<T>[] = []
  for (const [i, item] of items.entries()) {
    const problem = itemKindFault(item, asked) ?? objectFault(item, asked)
    if (problem !== undefined) return fault(`items[${i}]: ${problem}`)
    objects.push({ ...(item as unknown as Stored<T>), apiVersion, kind })
  }
  return ok({
    items: objects,
    resourceVersion,
    size: text.length,
    ...(next === '' ? {} : { continue: next }),
  })
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

function sizeFault(text: string): AnswerFault | undefined {
  let depth = 0
  let values = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === QUOTE) i = endOfString(text, i)
    else if (c === 0x7b || c === 0x5b) {
      values++
      if (++depth > MAX_DEPTH) return { problem: `deeper than ${MAX_DEPTH} levels`, isTooLong: false }
    } else if (c === 0x7d || c === 0x5d) depth--
    else if (c === 0x2c) values++
    if (values > MAX_VALUES) return { problem: `over ${MAX_VALUES} values`, isTooLong: true }
  }
  return undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Index of the quote that ends the string at `from`; the length of the text if none does. */
function endOfString(text: string, from: number): number {
  for (let i = text.indexOf('"', from + 1); i >= 0; i = text.indexOf('"', i + 1)) {
    let escapes = 0
    while (text.charCodeAt(i - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return i
  }
  return text.length
}

function kindFault(
  o: JsonValue | undefined,
  kinds: readonly string[],
  apiVersion: string,
): string | undefined {
  const [kind, version] = [at(o, 'kind'), at(o, 'apiVersion')]
  const isRight = isString(kind) && kinds.includes(kind) && version === apiVersion
  return isRight
    ? undefined
    : `${nameText(kind) ?? 'no kind'} where ${kinds[0]} of ${apiVersion} was expected`
}

function itemKindFault(item: JsonValue, { kind, fields }: AskedObjects): string | undefined {
  if (at(item, 'kind') === undefined && at(item, 'apiVersion') === undefined) return undefined
  return fields === 'metadata'
    ? kindFault(item, ['PartialObjectMetadata'], 'meta.k8s.io/v1')
    : kindFault(item, [kind.kind], apiVersionOf(kind))
}

/** Groups whose objects are answered and never stored: they have no name. */
const REVIEWS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Checks every field of `StoredMeta`. */
function objectFault(o: JsonValue | undefined, asked: AskedObjects): string | undefined {
  const metadata = at(o, 'metadata')
  if (!isObject(metadata)) return 'metadata is missing'
  if (REVIEWS.has(asked.kind.group)) return undefined
  const problem = keyFault(metadata, asked)
  if (problem !== undefined) return problem
  for (const field of ['uid', 'resourceVersion'])
    if (!isText(at(metadata, field)) && !asked.isDryRun) return `metadata.${field} is missing`
  for (const [field, [isRight, what]] of Object.entries(SHAPES)) {
    const value = at(metadata, field)
    if (value !== undefined && value !== null && !isRight(value)) return `metadata.${field} is not a ${what}`
  }
  return undefined
}

function keyFault(metadata: JsonObject, { kind, key }: AskedObjects): string | undefined {
  const [name, namespace] = [at(metadata, 'name'), at(metadata, 'namespace') ?? '']
  if (!isText(name)) return 'metadata.name is missing'
  if (key.name !== undefined && key.name !== '' && name !== key.name)
    return `another object, ${nameText(name) ?? 'of a strange name'}`
  if (!isString(namespace)) return 'metadata.namespace is not a text'
  if (kind.namespaced && namespace === '') return 'metadata.namespace is missing'
  if (!kind.namespaced && namespace !== '') return `metadata.namespace, and ${kind.kind} has none`
  if (kind.namespaced && key.namespace !== undefined && key.namespace !== '' && namespace !== key.namespace)
    return `an object of another namespace, ${nameText(namespace) ?? 'of a strange name'}`
  return undefined
}

type ShapeCheck = (value: JsonValue) => boolean

const isTexts: ShapeCheck = (v) => isArray(v) && v.every(isString)
const isTextMap: ShapeCheck = (v) => isObject(v) && Object.values(v).every(isString)
const isNumber: ShapeCheck = (v) => typeof v === 'number' || typeof v === 'bigint'
const areOwners: ShapeCheck = (v) =>
  isArray(v) && v.every((o) => ['apiVersion', 'kind', 'name', 'uid'].every((field) => isText(at(o, field))))
const areManagers: ShapeCheck = (v) =>
  isArray(v) &&
  v.every(
    (f) => isObject(f) && isAbsentOr(isString, at(f, 'manager')) && isAbsentOr(isObject, at(f, 'fieldsV1')),
  )

const SHAPES: Readonly<Record<string, readonly [isRight: ShapeCheck, what: string]>> = {
  generateName: [isString, 'text'],
  generation: [isNumber, 'number'],
  creationTimestamp: [isString, 'text'],
  deletionTimestamp: [isString, 'text'],
  deletionGracePeriodSeconds: [isNumber, 'number'],
  labels: [isTextMap, 'map of texts'],
  annotations: [isTextMap, 'map of texts'],
  finalizers: [isTexts, 'list of texts'],
  ownerReferences: [areOwners, 'list of owners'],
  managedFields: [areManagers, 'list of managers'],
}

const isAbsentOr = (is: (v: unknown) => boolean, v: JsonValue | undefined): boolean =>
  v === undefined || v === null || is(v)

const isText = (v: JsonValue | undefined): v is string => isString(v) && v !== ''

/** A name in the characters of Kubernetes; other texts of a server are not repeated. */
const nameText = (v: JsonValue | undefined): string | undefined =>
  isString(v) && /^[A-Za-z0-9][\w.:-]{0,99}$/.test(v) ? v : undefined
