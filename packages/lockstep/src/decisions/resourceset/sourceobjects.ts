/** One source of a ClusterResourceSet as the objects that it holds, in the order in which Cluster API creates them. */

import { err, ok, type Result } from '@lockstep/kube/env'
import {
  deepFreeze,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  keyOf,
  keyText,
  member,
} from '@lockstep/kube/object'
import { SET_SECRET_TYPE } from '../../api/kinds/index.ts'
import { sourceDocuments } from './sourcedocuments.ts'
import { type KeyedValue, upstreamHash, valuesInOrder } from './sourcehash.ts'

/** Why nothing of a source can be delivered. No message has anything of a Secret's values but names of objects. */
export interface SourceProblem {
  readonly reason: 'InvalidResource' | 'WrongSecretType'
  readonly message: string
}

export interface SourceObject {
  readonly object: KubeObject
  readonly key: string
  /** Which document of the value, or which element of its array; from 1. */
  readonly document: number
  /** `ConfigMap default/calico-addon key calico.yaml document 3`, for messages. */
  readonly origin: string
}

export interface ParsedSource {
  /** By which Cluster API and its bindings know the content. */
  readonly hash: string
  readonly objects: readonly SourceObject[]
}

/** All that is wrong with it, or all of its objects: of a source that is broken nothing is delivered, as Cluster API has it. */
export function parseSourceObjects(source: KubeObject): Result<ParsedSource, readonly SourceProblem[]> {
  const data = member(source, 'data')
  if (source.kind === 'Secret' && source.type !== SET_SECRET_TYPE)
    return err([{ reason: 'WrongSecretType', message: wrongType(source.metadata.name ?? '') }])
  if (!isObject(data) || Object.keys(data).length === 0) return err([invalid(noData(source))])
  const values = valuesInOrder({ kind: source.kind, data: data as Record<string, string> })
  const objects: SourceObject[] = []
  const problems: SourceProblem[] = []
  for (const value of values) {
    const found = objectsOfValue(source, value)
    if (found.ok) objects.push(...found.value)
    else problems.push(...found.error)
  }
  if (problems.length > 0) return err(problems)
  return ok({ hash: upstreamHash(values.map((v) => v.bytes)), objects })
}

/** In Cluster API's words. */
const wrongType = (name: string): string => `Secret type of resource ${name} is not supported`

const noData = (source: KubeObject): string =>
  `failed to get data field from resource ${keyText(keyOf(source))}: ${source.kind} has no data; put the manifests into data` +
  (member(source, 'binaryData') === undefined ? '' : ', binaryData is not read')

const invalid = (message: string): SourceProblem => ({ reason: 'InvalidResource', message })

type SourceObjectsResult = Result<SourceObject[], SourceProblem[]>

function objectsOfValue(source: KubeObject, { key, bytes }: KeyedValue): SourceObjectsResult {
  const origin = `${source.kind} ${keyText(keyOf(source))} key ${key}`
  const found = sourceDocuments(bytes, source.kind === 'Secret')
  if (!found.ok) return err([invalid(`${origin}: ${found.error}`)])
  const all = found.value.map(({ value, number, place }) =>
    objectsOfDocument(value, { key, document: number, origin: `${origin} ${place}` }),
  )
  const problems = all.flatMap((x) => (x.ok ? [] : x.error))
  return problems.length > 0
    ? err(problems)
    : ok(sortedForCreation(all.flatMap((x) => (x.ok ? x.value : []))))
}

type SourcePosition = Omit<SourceObject, 'object'>

function objectsOfDocument(value: JsonValue, place: SourcePosition): SourceObjectsResult {
  const wrong = (what: string): SourceObjectsResult => err([invalid(`${place.origin}: ${what}`)])
  if (!isObject(value)) return wrong('is no object; write a manifest with apiVersion, kind and metadata.name')
  const { apiVersion, kind } = value
  if (!isString(apiVersion) || apiVersion === '') return wrong('has no apiVersion; add it')
  if (!isString(kind) || kind === '') return wrong('has no kind; add it')
  if (kind.endsWith('List') && isArray(value.items))
    return itemsOf(value.items, apiVersion, kind.slice(0, -'List'.length), place)
  const { name, generateName, namespace } = isObject(value.metadata) ? value.metadata : ({} as JsonObject)
  if (!isString(name ?? generateName) || (name ?? generateName) === '')
    return wrong('has no metadata.name; add it')
  if (namespace !== undefined && namespace !== null && !isString(namespace))
    return wrong('has a metadata.namespace that is no text; put it in quotes')
  return ok([{ object: deepFreeze(value as unknown as KubeObject), ...place }])
}

/** Items of a typed list may leave out what the list's own kind says. */
function itemsOf(
  items: readonly JsonValue[],
  apiVersion: string,
  kind: string,
  place: SourcePosition,
): SourceObjectsResult {
  const all = items.map((item, i) =>
    objectsOfDocument(isObject(item) && kind !== '' ? { apiVersion, kind, ...item } : item, {
      ...place,
      origin: `${place.origin} items[${i}]`,
    }),
  )
  const problems = all.flatMap((x) => (x.ok ? [] : x.error))
  return problems.length > 0 ? err(problems) : ok(all.flatMap((x) => (x.ok ? x.value : [])))
}

/** `util/resource/resource.go` of Cluster API; `Endpoint`, which is no kind of Kubernetes, as it is written there. */
const FIRST = [
  'Namespace',
  'CustomResourceDefinition',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Secret',
  'ConfigMap',
  'ServiceAccount',
  'LimitRange',
  'Pod',
  'ReplicaSet',
  'Endpoint',
]
const RANKS: ReadonlyMap<string, number> = new Map(FIRST.map((kind, i) => [kind, i]))
const rankOf = ({ object }: SourceObject): number => RANKS.get(object.kind) ?? FIRST.length

/** Of one value; what is alike stays in its order. */
const sortedForCreation = (objects: readonly SourceObject[]): SourceObject[] =>
  [...objects].sort((a, b) => rankOf(a) - rankOf(b))

/** What only discovery can tell. Cluster API sends such an object, and is refused each time. */
export function namespaceProblem(
  { object, origin }: SourceObject,
  isNamespaced: boolean,
): SourceProblem | undefined {
  const { name, generateName, namespace } = object.metadata
  if (!isNamespaced || (namespace !== undefined && namespace !== null && namespace !== '')) return undefined
  return invalid(
    `${origin}: ${object.kind} ${JSON.stringify(name ?? generateName)} has no metadata.namespace; add one`,
  )
}
