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
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import { SET_SECRET_TYPE } from '../../api/kinds/index.ts'
import type { FactsOf, WaitRefOf } from '../../api/reasons/index.ts'
import { sourceDocuments } from './sourcedocuments.ts'
import { type KeyedValue, upstreamHash, valuesInOrder } from './sourcehash.ts'

/** Why nothing of a source can be delivered. No message has anything of a Secret's values but names of objects. */
export interface SourceProblem extends NewBlocker {
  readonly reason: 'InvalidResource' | 'WrongSecretType'
}

export interface SourceObject {
  readonly object: KubeObject
  readonly key: string
  /** Which document of the value, or which element of its array; from 1. */
  readonly document: number
  /** `ConfigMap default/calico-addon key calico.yaml document 3`, for messages. */
  readonly origin: string
  readonly source: WaitRefOf<'Object'>
}

export interface ParsedSource {
  /** By which Cluster API and its bindings know the content. */
  readonly hash: string
  readonly objects: readonly SourceObject[]
}

/** All that is wrong with it, or all of its objects: of a source that is broken nothing is delivered, as Cluster API has it. */
export function parseSourceObjects(source: KubeObject): Result<ParsedSource, readonly SourceProblem[]> {
  const data = member(source, 'data')
  if (source.kind === 'Secret' && source.type !== SET_SECRET_TYPE) return err([wrongType(source)])
  if (!isObject(data) || Object.keys(data).length === 0) return err([noData(source)])
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

/** A ConfigMap or Secret of a set; objects of a cache have no apiVersion. */
const sourceRef = ({ kind, metadata }: KubeObject): WaitRefOf<'Object'> => ({
  kind: 'Object',
  name: metadata.name ?? '',
  namespace: metadata.namespace ?? '',
  object: { apiVersion: 'v1', kind },
})

const wrongType = (source: KubeObject): SourceProblem => ({
  ...blocked('WrongSecretType', [sourceRef(source)], {
    type: typeof source.type === 'string' ? source.type : undefined,
  }),
  reason: 'WrongSecretType',
})

const noData = (source: KubeObject): SourceProblem =>
  invalid(sourceRef(source), {
    because: 'NoData',
    field: member(source, 'binaryData') === undefined ? 'data' : 'binaryData',
  })

/** A manifest that cannot be delivered. */
export const invalid = (source: WaitRefOf<'Object'>, facts: FactsOf<'InvalidResource'>): SourceProblem => ({
  ...blocked('InvalidResource', [source], facts),
  reason: 'InvalidResource',
})

type SourceObjectsResult = Result<SourceObject[], SourceProblem[]>

function objectsOfValue(source: KubeObject, { key, bytes }: KeyedValue): SourceObjectsResult {
  const origin = `${source.kind} ${keyText(keyOf(source))} key ${key}`
  const found = sourceDocuments(bytes, source.kind === 'Secret')
  const ref = sourceRef(source)
  if (!found.ok) return err([invalid(ref, located(origin, found.error))])
  const all = found.value.map(({ value, number, place }) =>
    objectsOfDocument(value, { key, document: number, origin: `${origin} ${place}`, source: ref }),
  )
  const problems = all.flatMap((x) => (x.ok ? [] : x.error))
  return problems.length > 0
    ? err(problems)
    : ok(sortedForCreation(all.flatMap((x) => (x.ok ? x.value : []))))
}

/** The document of a broken value is part of its place. */
const located = (origin: string, facts: FactsOf<'InvalidResource'>): FactsOf<'InvalidResource'> =>
  Object.assign({}, facts, { at: facts.at === undefined ? origin : `${origin} ${facts.at}` })

type SourcePosition = Omit<SourceObject, 'object'>

function objectsOfDocument(value: JsonValue, place: SourcePosition): SourceObjectsResult {
  const wrong = (because: FactsOf<'InvalidResource'>['because'], field?: string): SourceObjectsResult =>
    err([invalid(place.source, { because, at: place.origin, field })])
  if (!isObject(value)) return wrong('NotAnObject')
  const { apiVersion, kind } = value
  if (!isString(apiVersion) || apiVersion === '') return wrong('FieldMissing', 'apiVersion')
  if (!isString(kind) || kind === '') return wrong('FieldMissing', 'kind')
  if (kind.endsWith('List') && isArray(value.items))
    return itemsOf(value.items, apiVersion, kind.slice(0, -'List'.length), place)
  const { name, generateName, namespace } = isObject(value.metadata) ? value.metadata : ({} as JsonObject)
  if (!isString(name ?? generateName) || (name ?? generateName) === '')
    return wrong('FieldMissing', 'metadata.name')
  if (namespace !== undefined && namespace !== null && !isString(namespace))
    return wrong('NamespaceNotAString')
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

/** Objects of one value; equal ranks keep their order. */
const sortedForCreation = (objects: readonly SourceObject[]): SourceObject[] =>
  [...objects].sort((a, b) => rankOf(a) - rankOf(b))

/** What only discovery can tell. Cluster API sends such an object, and is refused each time. */
export function namespaceProblem(
  { object, origin, source }: SourceObject,
  isNamespaced: boolean,
): SourceProblem | undefined {
  const { name, generateName, namespace } = object.metadata
  if (!isNamespaced || (namespace !== undefined && namespace !== null && namespace !== '')) return undefined
  return invalid(source, {
    because: 'NamespaceMissing',
    at: origin,
    kind: object.kind,
    name: name ?? generateName,
  })
}
