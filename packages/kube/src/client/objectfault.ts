/** Checks the kind, the key and the metadata of what a server answers. Pure. */
import { at, isArray, isObject, isString, type JsonObject, type JsonValue } from '../object/json.ts'
import type { Kind } from '../object/kind.ts'
import { apiVersionOf, type Key } from '../object/objectref.ts'
import type { ObjectDetail } from './client.ts'

/** Kind, place and detail of a request. */
export interface AskedObjects {
  readonly kind: Kind
  /** Name and namespace that every object must have; absent: any. */
  readonly key: Partial<Key>
  readonly fields?: ObjectDetail | undefined
  /** An object that was not stored has neither uid nor version. */
  readonly isDryRun?: boolean | undefined
}

export function kindFault(
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

export function itemKindFault(item: JsonValue, { kind, fields }: AskedObjects): string | undefined {
  if (at(item, 'kind') === undefined && at(item, 'apiVersion') === undefined) return undefined
  return fields === 'metadata'
    ? kindFault(item, ['PartialObjectMetadata'], 'meta.k8s.io/v1')
    : kindFault(item, [kind.kind], apiVersionOf(kind))
}

/** Groups whose objects are answered and never stored: they have no name. */
const REVIEWS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])

/** Checks every field of `StoredMeta`. */
export function objectFault(o: JsonValue | undefined, asked: AskedObjects): string | undefined {
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

export const isText = (v: JsonValue | undefined): v is string => isString(v) && v !== ''

/** A name in the characters of Kubernetes; other texts of a server are not repeated. */
const nameText = (v: JsonValue | undefined): string | undefined =>
  isString(v) && /^[A-Za-z0-9][\w.:-]{0,99}$/.test(v) ? v : undefined
