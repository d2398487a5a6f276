/** What a source holds, as upstream reads it: its hash, and its objects in the order in which they are applied. */

import {
  at,
  base64ToBytes,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseJson,
  sha256Hex,
} from '@lockstep/kube/object'
import { isMap, parseDocument } from 'yaml'

export interface ResourceContent {
  readonly hash: string
  readonly objects: readonly JsonObject[]
}

/** A source that cannot be used; it has no condition of its own (`ApplyClusterResourceSet`). */
export class BadContent extends Error {}

/** `reconcileScopeForResource`. @throws BadContent */
export function contentOf(source: KubeObject): ResourceContent {
  const values = valuesOf(source)
  const all = new Uint8Array(values.reduce((n, v) => n + v.length, 0))
  let end = 0
  for (const v of values) {
    all.set(v, end)
    end += v.length
  }
  return { hash: `sha256:${sha256Hex(all)}`, objects: values.flatMap((v) => sorted(objectsOf(v))) }
}

/** `normalizeData`: in byte order of the keys; `binaryData` is not looked at. */
function valuesOf(source: KubeObject): readonly Uint8Array[] {
  const data = at(source, 'data')
  const { namespace, name } = source.metadata
  if (!isObject(data) || Object.keys(data).length === 0)
    throw new BadContent(`failed to get data field from resource ${namespace}/${name}`)
  const read = (v: JsonValue | undefined): Uint8Array =>
    source.kind === 'Secret' ? base64ToBytes(String(v)) : new TextEncoder().encode(String(v))
  return Object.keys(data)
    .sort()
    .map((key) => read(data[key]))
}

/** `bufio.Reader.Peek(32)`: fewer bytes are an error. */
const PEEK = 32

function objectsOf(bytes: Uint8Array): readonly JsonObject[] {
  if (bytes.length < PEEK) throw new BadContent('EOF')
  const text = new TextDecoder().decode(bytes)
  const isList = new TextDecoder().decode(bytes.subarray(0, PEEK)).trimStart().startsWith('[')
  return isList ? listed(text) : documents(text)
}

/** An array that cannot be read is no error: there is nothing in it (`if err == nil`). */
function listed(text: string): readonly JsonObject[] {
  try {
    const list = parseJson(text)
    return isArray(list) && list.every(isObject) ? list : []
  } catch {
    return []
  }
}

/** `yaml.ToUnstructured`: documents end at a line `---` with nothing or a comment behind it; empty ones are left out. */
function documents(text: string): readonly JsonObject[] {
  const out: JsonObject[] = []
  for (const part of text.split(/^---[ \t\r]*(?:#.*)?(?:\n|$)/m)) {
    const doc = parseDocument(part, {
      version: '1.1',
      uniqueKeys: false,
      logLevel: 'silent',
      // Kubernetes' reader has neither times nor numbers in base 60.
      customTags: (tags) => tags.filter((t) => typeof t === 'string' || !/timestamp|TIME/i.test(tagName(t))),
    })
    if (doc.contents === null) continue
    if (doc.errors.length > 0 || !isMap(doc.contents))
      throw new BadContent(
        `failed converting data to unstructured objects: failed to unmarshal the ${ordinal(out.length + 1)} yaml document: ${JSON.stringify(part)}`,
      )
    out.push(doc.toJS() as JsonObject)
  }
  return out
}

const tagName = (tag: { readonly tag?: string; readonly format?: string }): string =>
  `${tag.tag ?? ''} ${tag.format ?? ''}`

const ordinal = (n: number): string => `${n}${['th', 'st', 'nd', 'rd'][n < 4 ? n : 0]}`

/** `util/resource/resource.go`; `Endpoint` is no kind, so `Endpoints` come with the rest. */
const ORDER = [
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

function sorted(objects: readonly JsonObject[]): readonly JsonObject[] {
  const place = (o: JsonObject): number => {
    const i = ORDER.indexOf(String(o.kind))
    return i < 0 ? ORDER.length : i
  }
  return [...objects].sort((a, b) => place(a) - place(b))
}
