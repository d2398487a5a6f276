/** ConfigMaps and Secrets that units read: variables (`substituteFrom`) and values (`valuesFrom`), as they are now. */

import type { LocalApi } from '@lockstep/apiserver/server'
import { err, ok, type Result } from '@lockstep/kube/env'
import {
  at,
  base64ToBytes,
  isObject,
  type JsonObject,
  type JsonValue,
  parseYamlStream,
} from '@lockstep/kube/object'
import type { HelmReleaseSpec, InputReference, KustomizationSpec, ValuesReference } from './fluxkind.ts'

/** The variables of a Kustomization; what stands in its spec wins. */
export function variablesOf(
  api: LocalApi,
  namespace: string,
  { postBuild }: KustomizationSpec,
): Result<Readonly<Record<string, string>>, string> {
  let values: Record<string, string> = {}
  for (const ref of postBuild?.substituteFrom ?? []) {
    const data = dataOf(api, namespace, ref)
    if (!data && !ref.optional) return err(`substitute from '${ref.kind}/${ref.name}' error: ${missing(ref)}`)
    values = { ...values, ...data }
  }
  return ok({ ...values, ...postBuild?.substitute })
}

/** The values of a HelmRelease: references in their order, then what stands in its spec. */
export function inputValues(
  api: LocalApi,
  namespace: string,
  spec: HelmReleaseSpec,
): Result<JsonObject, string> {
  let values: JsonObject = {}
  for (const ref of spec.valuesFrom ?? []) {
    const found = referenced(dataOf(api, namespace, ref), ref, namespace)
    if (!found.ok) return found
    values = merged(values, found.value)
  }
  return ok(merged(values, isObject(spec.values) ? spec.values : {}))
}

function referenced(
  data: Readonly<Record<string, string>> | undefined,
  ref: ValuesReference,
  namespace: string,
): Result<JsonObject, string> {
  const where = `${ref.kind} '${namespace}/${ref.name}'`
  if (!data) return ref.optional ? ok({}) : err(`could not find ${where}: ${missing(ref)}`)
  const key = ref.valuesKey ?? 'values.yaml'
  const text = data[key]
  if (text === undefined) return ref.optional ? ok({}) : err(`missing key '${key}' in ${where}`)
  if (ref.targetPath !== undefined) return ok(nested(ref.targetPath.split('.'), text))
  const [value] = parseYamlStream(text)
  return isObject(value) ? ok(value) : err(`unable to read values from key '${key}' in ${where}`)
}

const nested = ([first = '', ...rest]: readonly string[], value: JsonValue): JsonObject => ({
  [first]: rest.length === 0 ? value : nested(rest, value),
})

/** Objects are merged, everything else is replaced. */
function merged(a: JsonObject, b: JsonObject): JsonObject {
  const out: { [key: string]: JsonValue | undefined } = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const old = out[key]
    out[key] = isObject(old) && isObject(value) ? merged(old, value) : value
  }
  return out
}

const missing = ({ kind, name }: InputReference): string => `${kind.toLowerCase()}s "${name}" not found`

function dataOf(
  api: LocalApi,
  namespace: string,
  { kind, name }: InputReference,
): Readonly<Record<string, string>> | undefined {
  const o = api.get(kind === 'Secret' ? 'secrets' : 'configmaps', namespace, name)
  if (!o) return undefined
  const data = at(o, 'data')
  const entries = Object.entries(isObject(data) ? data : {}).map(([k, v]) => [
    k,
    kind === 'Secret' ? new TextDecoder().decode(base64ToBytes(String(v)) ?? new Uint8Array()) : String(v),
  ])
  return Object.fromEntries(entries)
}
