import { type FieldSet, goJson } from '@lockstep/kube/fields'
import { isObject, type JsonObject, type KubeObject, parseJson } from '@lockstep/kube/object'
import type { Typed } from './converter.ts'
import { checkTypedValue } from './typed/checktypedvalue.ts'
import { collectFields } from './typed/collectfields.ts'
import { compareTypedValues } from './typed/comparetypedvalues.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
const MAX_ANNOTATIONS = 256 * 1024

/** The manager whose server-side applies follow on its own client-side ones. */
export const KUBECTL = 'kubectl'

/**
 * Fields that kubectl applied on the client's side and that are still as it applied them: they do not conflict when it
 * applies on the server's (apimachinery `managedfields/internal/lastappliedmanager.go`). Undefined if there are none to
 * tell.
 */
export function allowedByLastApplied(live: Typed, apiVersion: string): FieldSet | undefined {
  const text = (live.value as unknown as KubeObject).metadata?.annotations?.[ANNOTATION]
  if (!text) return undefined
  try {
    const last = parseJson(text)
    if (!isObject(last) || last.apiVersion !== apiVersion) return undefined
    checkTypedValue(last, live.type, false)
    const { added, modified, removed } = compareTypedValues(last, live.value, live.type)
    return collectFields(last, live.type).difference(modified).difference(added).difference(removed)
  } catch {
    // An annotation that is no configuration allows nothing.
    return undefined
  }
}

/**
 * Keeps the annotation of client-side apply what server-side apply was given, so that kubectl may go back
 * (`lastappliedupdater.go`). Objects without the annotation get none.
 */
export function syncLastAppliedConfig(object: KubeObject, config: KubeObject): KubeObject {
  const annotations = object.metadata.annotations
  const before = annotations?.[ANNOTATION]
  if (!annotations || !before) return object
  const { [ANNOTATION]: _own, ...others } = config.metadata.annotations ?? {}
  const metadata: JsonObject = { ...(config.metadata as unknown as JsonObject), annotations: others }
  if (Object.keys(others).length === 0) delete (metadata as { annotations?: unknown }).annotations
  const text = `${goJson({ ...(config as unknown as JsonObject), metadata })}\n`
  if (text === before) return object
  const next: Record<string, string> = { ...annotations, [ANNOTATION]: text }
  if (sizeOf(next) > MAX_ANNOTATIONS) delete next[ANNOTATION]
  return { ...object, metadata: { ...object.metadata, annotations: next } }
}

function sizeOf(annotations: Readonly<Record<string, string>>): number {
  let size = 0
  for (const [k, v] of Object.entries(annotations)) size += bytes(k) + bytes(v)
  return size
}

/** Bytes of a text in UTF-8. */
function bytes(s: string): number {
  let n = s.length
  for (let i = 0; i < s.length; i++) {
    const unit = s.charCodeAt(i)
    if (unit > 0x7f) n += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1
  }
  return n
}
