import { err, ok, type Result } from '@lockstep/kube/env'
import { builtInScope } from '@lockstep/kube/kinds'
import {
  at,
  canonicalJson,
  digestOf,
  encodeJson,
  identityOf,
  isObject,
  isString,
  type JsonValue,
  type KubeObject,
  parseApiVersion,
  refOf,
  refText,
  short10,
} from '@lockstep/kube/object'
import { boundText, type Values } from '../../decisions/binding/index.ts'
import { definedScopes, isBundleWait, waitProblem } from '../../decisions/order/index.ts'
import { canonicalData, dataProblems } from './canonicaldata.ts'
import type { SourceManifest } from './renderplain.ts'
import { combined, fault, type SourceFailure } from './sourcefailure.ts'

/** Limits of one bundle. */
export const MAX_OBJECTS = 10_000
export const MAX_BYTES = 64 * 1024 * 1024
/** etcd refuses a request above this. */
const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024
const MAX_DEPTH = 100
const NO_VALUES: Values = new Map()

const OWN_PREFIX = 'lockstep.dev/'
/** Own keys that an author may set; the others are ours to write. */
const AUTHOR_KEYS = new Set([
  'lockstep.dev/depends-on',
  'lockstep.dev/wait-for',
  'lockstep.dev/step',
  'lockstep.dev/hook',
  'lockstep.dev/hook-delete-policy',
  'lockstep.dev/hook-timeout',
  'lockstep.dev/hook-retries',
  'lockstep.dev/apply',
  'lockstep.dev/prune',
  'lockstep.dev/replace-immutable',
])

/**
 * The canonical objects of a bundle: what a server would drop or own is dropped, `stringData` becomes data, equal twins are one, sorted
 * by group, kind, namespace, name. All errors are listed, not only the first. `declared`: what names may mention. `warn` gets a line for each
 * dropped field that an author may have meant.
 */
export function normalize(
  manifests: readonly SourceManifest[],
  declared: Values = NO_VALUES,
  warn: (line: string) => void = () => {},
): Result<KubeObject[], SourceFailure> {
  if (manifests.length > MAX_OBJECTS) {
    return err(
      fault('BundleTooLarge', { size: `${manifests.length} objects`, limit: `${MAX_OBJECTS} objects` }),
    )
  }
  const errors: SourceFailure[] = []
  const found = new Map<string, { object: KubeObject; text: string; origin: string }>()
  const scopes = definedScopes(manifests.map((m) => m.object))
  for (const m of manifests) {
    if (isLocal(m.object)) continue
    const named = { ...m, object: withName(withoutEmptyNamespace(m.object)) }
    const problems = problemsOf(named, declared)
    if (problems.length > 0) {
      errors.push(...problems)
      continue
    }
    const object = clean(withoutForeignMetadata(named, scopes, warn))
    const text = canonicalJson(object)
    const id = identityOf(refOf(object))
    const twin = found.get(id)
    if (!twin) found.set(id, { object, text, origin: m.origin })
    else if (twin.text !== text) errors.push(duplicate(object, twin.origin, m.origin))
  }
  if (errors.length > 0) return err(combined(errors))
  const bytes = [...found.values()].reduce((sum, f) => sum + f.text.length, 0)
  if (bytes > MAX_BYTES)
    return err(
      fault('BundleTooLarge', { size: `${(bytes / 1048576).toFixed(1)} MiB rendered`, limit: '64 MiB' }),
    )
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return ok(sorted.map(([, f]) => f.object))
}

function duplicate(o: KubeObject, first: string, second: string): SourceFailure {
  return fault('DuplicateObject', { object: refText(refOf(o)), places: [first, second] })
}

/** Objects that only tools read: kustomization files, function configs (kustomize `local-config`). */
function isLocal(o: KubeObject): boolean {
  return (
    o.apiVersion.startsWith('kustomize.config.k8s.io/') ||
    at(o, 'metadata', 'annotations', 'config.kubernetes.io/local-config') === 'true'
  )
}

const HOOK_KEYS = ['lockstep.dev/hook', 'argocd.argoproj.io/hook', 'helm.sh/hook']

/** A hook may leave its name to be generated: it gets one of its content, without data, so that a bundle says it all. */
function withName(o: KubeObject): KubeObject {
  const prefix = at(o, 'metadata', 'generateName')
  const isHook = HOOK_KEYS.some((key) => at(o, 'metadata', 'annotations', key) !== undefined)
  if (!isString(prefix) || !isHook || at(o, 'metadata', 'name') !== undefined) return o
  const { data: _d, stringData: _s, ...shown } = o as KubeObject & { data?: unknown; stringData?: unknown }
  const { generateName: _, ...metadata } = o.metadata
  return { ...o, metadata: { ...metadata, name: `${prefix}${short10(digestOf('name/1', shown))}` } }
}

const NAME = /^[a-zA-Z0-9:]([-a-zA-Z0-9_.:]*[a-zA-Z0-9:])?$/
const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

const invalidObject = ({ object, origin }: SourceManifest, problem: string, called?: string): SourceFailure =>
  fault('InvalidObject', {
    place: origin,
    object: called === undefined ? object.kind : `${object.kind} ${called}`,
    problem,
  })

/** Each value of its data that is not a text; of other problems the first. */
function problemsOf(manifest: SourceManifest, declared: Values): SourceFailure[] {
  const problem = problemOf(manifest, declared)
  if (problem) return [problem]
  const { object } = manifest
  return dataProblems(object).map((found) => invalidObject(manifest, found, object.metadata.name))
}

function problemOf(manifest: SourceManifest, declared: Values): SourceFailure | undefined {
  const { object, secret } = manifest
  const invalid = (problem: string, called?: string) => invalidObject(manifest, problem, called)
  const metadata: unknown = object.metadata
  if (!isObject(metadata)) return invalid('metadata is missing')
  const { name, namespace } = metadata
  if (name === undefined || name === null || name === '') return invalid('metadata.name is missing')
  const shown = (value: unknown): string => (secret ? 'the value' : encodeJson(value))
  if (!isString(name)) return invalid(`metadata.name: ${shown(name)} is not a string; put it into quotes`)
  if (name.length > 253 || !NAME.test(boundText(name, declared)))
    return invalid(`metadata.name: ${shown(name)} is not a valid name`)
  if (
    namespace !== undefined &&
    namespace !== null &&
    (!isString(namespace) || namespace.length > 63 || !NAMESPACE.test(boundText(namespace, declared)))
  ) {
    return invalid(`metadata.namespace: ${shown(namespace)} is not a valid namespace`, name)
  }
  for (const map of ['labels', 'annotations'] as const) {
    const wrong = wrongStrings(metadata[map], shown)
    if (wrong) return invalid(`metadata.${map}${wrong}`, name)
  }
  const waiting = isBundleWait(object) ? waitProblem(object) : undefined
  if (waiting) return invalid(waiting, name)
  if (depthOf(object as unknown as JsonValue) > MAX_DEPTH)
    return invalid(`nested deeper than ${MAX_DEPTH}`, name)
  const size = encodeJson(object).length
  if (size > MAX_OBJECT_BYTES)
    return invalid(`${(size / 1048576).toFixed(1)} MiB, the limit of a server is 1.5 MiB`, name)
  return undefined
}

function wrongStrings(map: JsonValue | undefined, shown: (value: unknown) => string): string | undefined {
  if (map === undefined || map === null) return undefined
  if (!isObject(map)) return ': must be a map of strings'
  for (const [key, value] of Object.entries(map)) {
    if (!isString(value)) return `.${key}: ${shown(value)} is not a string; put it into quotes`
    if (key.startsWith(OWN_PREFIX) && !AUTHOR_KEYS.has(key))
      return `.${key}: reserved for Lockstep; remove it`
  }
  return undefined
}

function depthOf(value: JsonValue | undefined, limit = MAX_DEPTH + 1): number {
  if (limit === 0 || typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const child of Object.values(value))
    deepest = Math.max(deepest, depthOf(child as JsonValue, limit - 1))
  return deepest + 1
}

/** An empty namespace is none, as for kubectl; null members of metadata are dropped with the others. */
function withoutEmptyNamespace(o: KubeObject): KubeObject {
  const metadata: unknown = o.metadata
  if (!isObject(metadata) || metadata.namespace !== '') return o
  const { namespace: _, ...rest } = o.metadata
  return { ...o, metadata: rest }
}

/** Without a namespace that the kind does not have, which kube-apiserver clears, and without owners: their uids are of one cluster. */
function withoutForeignMetadata(
  { object, origin }: SourceManifest,
  scopes: ReadonlyMap<string, boolean>,
  warn: (line: string) => void,
): KubeObject {
  const { namespace, ownerReferences, ...metadata } = object.metadata
  const { group } = parseApiVersion(object.apiVersion)
  const isScoped =
    builtInScope(group, object.kind) === 'Cluster' || scopes.get(`${group}/${object.kind}`) === false
  const dropsNamespace = namespace !== undefined && namespace !== null && isScoped
  const place = `${origin}: ${object.kind} ${metadata.name}: `
  if (dropsNamespace)
    warn(`W_NAMESPACE_DROPPED ${place}metadata.namespace is dropped, since the kind is cluster-scoped`)
  if (ownerReferences && ownerReferences.length > 0)
    warn(
      `W_OWNER_DROPPED ${place}metadata.ownerReferences are dropped: no manifest knows the uid of its owner`,
    )
  const kept = namespace === undefined || dropsNamespace ? metadata : { ...metadata, namespace }
  return { ...object, metadata: kept }
}

/** Metadata that a server owns. */
const SERVER_OWNED = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
])

/** Without `status`, server-owned metadata and null members of metadata; data as servers store it. */
function clean(o: KubeObject): KubeObject {
  const metadata = Object.fromEntries(
    Object.entries(o.metadata).filter(([key, value]) => !SERVER_OWNED.has(key) && value !== null),
  )
  const out = Object.fromEntries(
    Object.entries(o).flatMap(([key, value]) =>
      key === 'status' ? [] : [[key, key === 'metadata' ? metadata : value]],
    ),
  )
  return canonicalData(out as unknown as KubeObject)
}
