/** Texts as manifests of which every field can be pointed at: file, line and column. */
import {
  at,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  listItems,
  parseApiVersion,
  parseYamlStream,
  splitYaml,
  YamlError,
  type YamlPart,
  type YamlPath,
  YamlTree,
} from '@lockstep/kube/object'
import type { FilePosition } from '../../decisions/clustergroup/index.ts'

export interface FluxFile {
  /** As the person named it. */
  readonly file: string
  readonly text: string
}

/** One document of a file. */
export class FluxDocument {
  readonly file: string
  readonly text: string
  /** From 1, in its file. */
  readonly line: number
  /** Absent: there is nothing in it, or it cannot be read. */
  readonly value: JsonValue | undefined
  private found: YamlTree | undefined

  constructor(file: string, part: YamlPart, value: JsonValue | undefined) {
    this.file = file
    this.text = part.text
    this.line = part.line
    this.value = value
  }

  tree(): YamlTree {
    this.found ??= new YamlTree(this.text)
    return this.found
  }

  /** Where a value, or its key, stands. Places cost ten times the reading: only documents that are asked pay for them. */
  place(path: YamlPath, what: 'value' | 'key' = 'value'): FilePosition {
    const { line, column } = this.tree().place(path, what)
    return { file: this.file, line: line + this.line - 1, column }
  }
}

/** An object as somebody wrote it. */
export interface FluxManifest {
  readonly document: FluxDocument
  /** Of the object in its document: items of a List are deeper. */
  readonly path: YamlPath
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Empty where none is written. */
  readonly namespace: string
  /** Empty where none is written. */
  readonly name: string
  readonly value: JsonObject
}

/** A document that cannot be read. */
export interface BrokenDocument extends FilePosition {
  readonly problem: string
}

export interface FluxManifests {
  /** All of them, in order: their texts together are the texts that were read. */
  readonly documents: readonly FluxDocument[]
  /** What has an apiVersion and a kind, in the order of the texts; other documents are nobody's business here. */
  readonly manifests: readonly FluxManifest[]
  /** The others are read all the same. */
  readonly broken: readonly BrokenDocument[]
}

/** All manifests of some texts; each document is read by itself. `isMeant`: others are not read, and are not broken either. */
export function readManifests(
  files: readonly FluxFile[],
  isMeant: (text: string) => boolean = () => true,
): FluxManifests {
  const documents: FluxDocument[] = []
  const broken: BrokenDocument[] = []
  for (const { file, text } of files)
    for (const part of splitYaml(text)) {
      const value = isMeant(part.text) ? documentOf(part) : undefined
      if (value instanceof YamlError)
        broken.push({ file, line: value.line + part.line - 1, column: value.column, problem: value.message })
      documents.push(new FluxDocument(file, part, value instanceof YamlError ? undefined : value))
    }
  const manifests = documents.flatMap((d) => (d.value === undefined ? [] : manifestsOf(d, d.value, [])))
  return { documents, manifests, broken }
}

function documentOf(part: YamlPart): JsonValue | undefined | YamlError {
  try {
    return parseYamlStream(part.text)[0]
  } catch (e) {
    if (e instanceof YamlError) return e
    throw e
  }
}

function manifestsOf(document: FluxDocument, value: JsonValue, path: YamlPath): FluxManifest[] {
  const [apiVersion, kind] = [at(value, 'apiVersion'), at(value, 'kind')]
  if (!isObject(value) || !isString(apiVersion) || !isString(kind)) return []
  const list = listItems(value)
  if (list && 'items' in list)
    return list.items.flatMap((item) => manifestsOf(document, item.value, [...path, 'items', item.index]))
  const text = (field: string): string => {
    const found = at(value, 'metadata', field)
    return isString(found) ? found : ''
  }
  const names = { namespace: text('namespace'), name: text('name') }
  return [{ document, path, ...parseApiVersion(apiVersion), kind, ...names, value }]
}

/** Where a field of a manifest stands. */
export const positionOf = (m: FluxManifest, field: YamlPath, what: 'value' | 'key' = 'value'): FilePosition =>
  m.document.place([...m.path, ...field], what)

export const labelOf = (m: FluxManifest, name: string): string | undefined =>
  textAt(m.value, 'metadata', 'labels', name)

export const annotationOf = (m: FluxManifest, name: string): string | undefined =>
  textAt(m.value, 'metadata', 'annotations', name)

/** A text somewhere in a value; anything else is none. */
export function textAt(value: unknown, ...path: YamlPath): string | undefined {
  const found = at(value, ...path)
  return isString(found) && found !== '' ? found : undefined
}
