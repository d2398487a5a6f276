/** From texts to objects, as far as no server is needed. */
import {
  isObject,
  isString,
  type JsonValue,
  type Kind,
  type KubeObject,
  listItems,
  locateYaml,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import { applicableKinds, type CliFailure, failed, kindOfObject } from '../index.ts'
import { nearest } from '../terminal/index.ts'
import { excerpt } from './excerpt.ts'
import type { DocumentSource } from './readsources.ts'

export interface ManifestDocument {
  readonly source: DocumentSource
  /** Counted from 0 in its text. */
  readonly index: number
  /** Where the object is in the document: empty, or `items`, n in a List. */
  readonly path: readonly (string | number)[]
  readonly kind: Kind
  readonly object: KubeObject
}

export interface ParsedSources {
  readonly documents: readonly ManifestDocument[]
  readonly failures: readonly CliFailure[]
  /** Documents in all, good and bad. */
  readonly total: number
}

export function parseSources(sources: readonly DocumentSource[], namespace: string): ParsedSources {
  const documents: ManifestDocument[] = []
  const failures: CliFailure[] = []
  let total = 0
  for (const source of sources) {
    const values = valuesOf(source)
    if (!Array.isArray(values)) {
      failures.push(values as CliFailure)
      total++
      continue
    }
    for (const one of values.flatMap((v, index) => written(v, index, []))) {
      total++
      const found = documentOf(source, one, namespace)
      if ('kind' in found && 'object' in found) documents.push(found)
      else failures.push(found as CliFailure)
    }
  }
  return { documents, failures, total }
}

function valuesOf(source: DocumentSource): JsonValue[] | CliFailure {
  try {
    return parseYamlStream(source.text)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    const place = { file: source.file, line: e.line, column: e.column }
    const shown = { ...place, excerpt: excerpt(source.text, e) }
    if (!e.duplicateKey) return failed('E_YAML_SYNTAX', { problem: e.message }, shown).error
    const key =
      /([\w./-]+)\s*:/.exec(source.text.split('\n')[e.line - 1]?.slice(e.column - 1) ?? '')?.[1] ?? ''
    return failed('E_YAML_DUPLICATE_KEY', { key }, shown).error
  }
}

interface One {
  readonly value: JsonValue
  readonly index: number
  readonly path: readonly (string | number)[]
  /** A list that is refused. */
  readonly problem?: string
}

/** A document, or the items of one that is a list. */
function written(value: JsonValue, index: number, path: One['path']): One[] {
  const list = listItems(value)
  if (!list) return [{ value, index, path }]
  if ('problem' in list) return [{ value, index, path: [...path, ...list.path], problem: list.problem }]
  return list.items.flatMap((item) => written(item.value, index, [...path, 'items', item.index]))
}

function documentOf(source: DocumentSource, one: One, namespace: string): ManifestDocument | CliFailure {
  const { value } = one
  const refuse = (problem: string, path: readonly (string | number)[] = []): CliFailure => {
    const place = locateYaml(source.text, one.index, [...one.path, ...path]) ?? { line: 1, column: 1 }
    const shown = { file: source.file, ...place, excerpt: excerpt(source.text, place) }
    return failed('E_NOT_AN_OBJECT', { problem }, shown).error
  }
  if (!isObject(value)) return refuse('the document is not an object')
  if (one.problem !== undefined) return refuse(`${String(value.kind)}: ${one.problem}`)
  const { apiVersion, kind, metadata } = value
  if (!isString(apiVersion)) return refuse('apiVersion is missing', ['apiVersion'])
  if (!isString(kind)) return refuse('kind is missing', ['kind'])
  const known = kindOfObject(apiVersion, kind)
  if (!known) return unknownKind(source, one, apiVersion, kind)
  if (!isObject(metadata)) return refuse(`${kind}: metadata is missing`, ['metadata'])
  const { name } = metadata
  if (!isString(name) || name === '')
    return refuse(
      `${kind}: metadata.name ${name === undefined ? 'is missing' : `is ${String(name) || 'empty'}, not a string: put it into quotes`}`,
      ['metadata', 'name'],
    )
  const space = known.namespaced
    ? { namespace: isString(metadata.namespace) ? metadata.namespace : namespace }
    : {}
  const object = { ...value, metadata: { ...metadata, ...space } } as unknown as KubeObject
  return { source, index: one.index, path: one.path, kind: known, object }
}

function unknownKind(source: DocumentSource, one: One, apiVersion: string, kind: string): CliFailure {
  const place = locateYaml(source.text, one.index, [...one.path, 'kind']) ?? { line: 1, column: 1 }
  const names = applicableKinds.map((k) => k.kind)
  const meant = nearest(kind, names)
  const suggestion =
    meant === undefined
      ? `lockstep apply accepts ${names.join(', ')}; for other kinds, use kubectl apply`
      : meant === kind
        ? `${kind} has another apiVersion; see examples/`
        : `did you mean ${meant}?`
  const shown = { file: source.file, ...place, kind, excerpt: excerpt(source.text, place) }
  return failed('E_KIND_UNKNOWN', { apiVersion, kind, server: 'lockstep apply', suggestion }, shown).error
}
