/** Values that are on the hub: keys of ConfigMaps and Secrets, and those of the module itself. */

import { err, ok, type Result } from '@lockstep/kube/env'
import {
  base64ToBytes,
  digestOf,
  encodeJson,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  member,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import type { HelmRender } from '../../api/kinds/index.ts'
import type { ResolvedInput } from '../../decisions/revision/index.ts'
import type { ManifestText } from '../intake/renderplain.ts'
import type { HubReader } from '../intake/resolvedsource.ts'
import { fault, type SourceFailure } from '../intake/sourcefailure.ts'
import { targetKeys } from './targetkeys.ts'

type ValuesFromEntry = NonNullable<HelmRender['valuesFrom']>[number]

/** Values over those of all files, from left to right, and the inputs that they are. */
export interface HubValues {
  readonly inputs: readonly ResolvedInput[]
  readonly values: readonly ManifestText[]
  /** Some of them may come of a Secret. */
  readonly secret: boolean
}

export function hubValues(render: HelmRender, reading: HubReader): Result<HubValues, SourceFailure> {
  const inputs: ResolvedInput[] = []
  const values: ManifestText[] = []
  const all = render.valuesFrom ?? []
  for (const [i, from] of all.entries()) {
    const path = `render.helm.valuesFrom[${i}]`
    const read = textOf(from, `spec.${path}`, reading)
    if (!read.ok) return read
    if (read.value === undefined) continue
    const digest = from.kind === 'Secret' ? reading.keyed() : ok(digestOf)
    if (!digest.ok) return digest
    inputs.push({ path, digest: digest.value('render/helm/valuesFrom', read.value.text) })
    const document = asValues(from, `spec.${path}`, read.value)
    if (!document.ok) return document
    values.push(document.value)
  }
  if (isObject(render.values))
    values.push({ origin: 'spec.render.helm.values', text: encodeJson(render.values) })
  return ok({ inputs, values, secret: all.some((f) => f.kind === 'Secret') })
}

/** Undefined: it need not be there, and is not. */
function textOf(
  { kind, name, valuesKey, optional }: ValuesFromEntry,
  where: string,
  { namespace, find }: HubReader,
): Result<ManifestText | undefined, SourceFailure> {
  const what = `${kind} ${namespace}/${name}`
  const found = find({ kind, name })
  if (!found.ok) return found
  if (!found.value && optional) return ok(undefined)
  if (!found.value) return err(fault('ResourceNotFound', `${where}: ${what} does not exist`, true))
  const data = found.value.data ?? {}
  const value = member(data, valuesKey)
  if (!isString(value)) {
    const keys = Object.keys(data).join(', ') || 'none'
    const text = `${where}: ${what} has no key ${valuesKey}; there are: ${keys}`
    return err(fault('ResourceNotFound', text, true))
  }
  const origin = `${what} key ${valuesKey}`
  if (kind === 'ConfigMap') return ok({ origin, text: value })
  const text = decoded(value)
  if (text === undefined) return err(fault('RenderFailed', `${where}: ${origin}: is not UTF-8 text`, true))
  return ok({ origin, text, secret: true })
}

/** As it is, or with `targetPath` as the text at that place. */
function asValues(
  { targetPath }: ValuesFromEntry,
  where: string,
  source: ManifestText,
): Result<ManifestText, SourceFailure> {
  if (targetPath !== undefined) {
    const keys = targetKeys(targetPath)
    if (!keys.ok) return err(fault('InvalidSpec', `${where}.targetPath: ${keys.error}`))
    const nested = keys.value.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), source.text)
    return ok({ ...source, text: encodeJson(nested) })
  }
  const problem = documentProblem(source)
  return problem === undefined
    ? ok(source)
    : err(fault('RenderFailed', `${where}: ${source.origin}${problem}`, true))
}

/** Helm reads the first document of several, and shows what it cannot read: neither is left to it. */
function documentProblem({ text, secret }: ManifestText): string | undefined {
  let documents: readonly JsonValue[]
  try {
    documents = parseYamlStream(text)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return `:${e.line}:${e.column}: ${secret ? 'is invalid YAML' : e.message}`
  }
  if (documents.length > 1) return `: has ${documents.length} documents; values are one`
  return documents.every((d): d is JsonObject => isObject(d)) ? undefined : ': is not a map of values'
}

function decoded(value: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(base64ToBytes(value))
  } catch {
    return undefined
  }
}
