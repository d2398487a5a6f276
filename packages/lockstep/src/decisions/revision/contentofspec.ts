/** Which part of a spec is content: what a revision stands for. */
import { isArray, isObject, type JsonObject, type JsonValue } from '@lockstep/kube/object'

/** How a module moves and whom it reaches: a change of these publishes nothing. */
const POLICY: ReadonlySet<string> = new Set(['rollout', 'targets', 'attempt', 'revisionHistoryLimit'])

/** How a source is reached, not what it is: nor do these. */
const FETCHING: ReadonlySet<string> = new Set([
  'interval',
  'timeout',
  'secretRef',
  'certSecretRef',
  'passCredentials',
])
/** Sources that are reached by a URL. */
const REMOTE: ReadonlySet<string> = new Set(['git', 'helm'])

/** The spec as far as it is content. */
export function contentOfSpec(spec: JsonObject): JsonObject {
  const content = Object.entries(spec).filter(([key]) => !POLICY.has(key))
  return Object.fromEntries(content.map(([k, v]) => [k, k === 'source' ? contentOfSource(v!) : v]))
}

/** A source without how it is fetched. */
export function contentOfSource(source: JsonValue): JsonValue {
  if (!isObject(source)) return source
  const content = Object.entries(source).filter(([key]) => !FETCHING.has(key))
  return Object.fromEntries(content.map(([k, v]) => [k, contentOfPart(k, v)])) as JsonObject
}

function contentOfPart(key: string, part: JsonValue | undefined): JsonValue | undefined {
  if (key === 'refs' && isArray(part)) return part.map(contentOfRef)
  if (!REMOTE.has(key) || !isObject(part)) return part
  return Object.fromEntries(Object.entries(part).filter(([f]) => !FETCHING.has(f)))
}

const contentOfRef = (ref: JsonValue): JsonValue =>
  isObject(ref) ? { ...ref, git: contentOfPart('git', ref.git) } : ref
