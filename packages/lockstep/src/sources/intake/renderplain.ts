/** Texts in, objects out: what `render: plain` means. No cluster, no clock. */
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  isObject,
  isString,
  type JsonValue,
  type KubeObject,
  type ListItem,
  listItems,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** One text of a source. `origin` names it in messages: `ConfigMap platform/web key a.yaml`. */
export interface ManifestText {
  readonly origin: string
  readonly text: string
  /** Nothing that stands in it is shown. */
  readonly secret?: true
}

/** A manifest and where it came from. */
export interface SourceManifest {
  readonly object: KubeObject
  /** `ConfigMap platform/web key a.yaml doc 2` */
  readonly origin: string
  /** Messages about it show no value of it. */
  readonly secret?: true
  /** Not for clusters: a Module that is beside this one. */
  readonly companion?: true
}

export function renderPlain(texts: readonly ManifestText[]): Result<SourceManifest[], SourceFailure> {
  const out: SourceManifest[] = []
  for (const { origin, text, secret } of texts) {
    const docs = parse(origin, text, secret === true)
    if (!docs.ok) return docs
    for (const [i, doc] of docs.value.entries()) {
      const found = toManifests(doc, `${origin} doc ${i + 1}`)
      if (!found.ok) return found
      out.push(...(secret ? found.value.map((m) => ({ ...m, secret })) : found.value))
    }
  }
  return ok(out)
}

function parse(origin: string, text: string, secret: boolean): Result<JsonValue[], SourceFailure> {
  try {
    return ok(parseYamlStream(text))
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return err(
      fault('RenderFailed', {
        place: `${origin}:${e.line}:${e.column}`,
        because: 'Yaml',
        error: secret ? 'not valid YAML' : e.message,
      }),
    )
  }
}

/** One document: an object, or a typed list whose items are the objects (`RoleList`, `List`). */
export function toManifests(doc: JsonValue, origin: string): Result<SourceManifest[], SourceFailure> {
  if (!isObject(doc)) return err(fault('InvalidObject', { place: origin, problem: 'not an object' }))
  const { apiVersion, kind } = doc
  const list = listItems(doc)
  if (list && 'problem' in list)
    return err(fault('InvalidObject', { place: origin, object: String(kind), problem: list.problem }))
  if (list) return unpack(list.items, origin)
  if (!isString(apiVersion) || apiVersion === '')
    return err(fault('InvalidObject', { place: origin, problem: 'apiVersion is missing' }))
  if (!isString(kind) || kind === '')
    return err(fault('InvalidObject', { place: origin, problem: 'kind is missing' }))
  return ok([{ object: doc as unknown as KubeObject, origin }])
}

function unpack(items: readonly ListItem[], origin: string): Result<SourceManifest[], SourceFailure> {
  const out: SourceManifest[] = []
  for (const { value, index } of items) {
    const found = toManifests(value, `${origin} item ${index}`)
    if (!found.ok) return found
    out.push(...found.value)
  }
  return ok(out)
}
