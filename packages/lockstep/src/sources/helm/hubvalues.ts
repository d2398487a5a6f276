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
import { missingResource } from '../intake/missingresource.ts'
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
  if (!found.value) return err(missingResource(where, { kind, namespace, name }))
  const data = found.value.data ?? {}
  const value = member(data, valuesKey)
  if (!isString(value)) {
    return err(
      missingResource(where, { kind, namespace, name }, { key: valuesKey, known: Object.keys(data) }),
    )
  }
  const origin = `${what} key ${valuesKey}`
  if (kind === 'ConfigMap') return ok({ origin, text: value })
  const text = decoded(value)
  if (text === undefined)
    return err(fault('RenderFailed', { field: where, place: origin, because: 'Encoding' }, true))
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
    if (!keys.ok) return err(fault('InvalidSpec', { field: `${where}.targetPath`, problem: keys.error }))
    const nested = keys.value.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), source.text)
    return ok({ ...source, text: encodeJson(nested) })
  }
  const problem = documentProblem(source)
  return problem === undefined
    ? ok(source)
    : err(
        fault(
          'RenderFailed',
          { field: where, place: `${source.origin}${problem.at}`, because: 'Values', error: problem.error },
          true,
        ),
      )
}

/** Helm reads the first document of several, and shows what it cannot read: neither is left to it. */
function documentProblem({
  text,
  secret,
}: ManifestText): { readonly at: string; readonly error: string } | undefined {
  let documents: readonly JsonValue[]
  try {
    documents = parseYamlStream(text)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return { at: `:${e.line}:${e.column}`, error: secret ? 'not valid YAML' : e.message }
  }
  if (documents.length > 1)
    return { at: '', error: `${documents.length} documents; values must be one document` }
  return documents.every((d): d is JsonObject => isObject(d))
    ? undefined
    : { at: '', error: 'must be a map of values' }
}

function decoded(value: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(base64ToBytes(value))
  } catch {
    return undefined
  }
}
