/** The same changes for a HelmRelease, which can start no program: `spec.postRenderers` with JSON patches (RFC 6902). */
import {
  encodeYaml,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type YamlPath,
} from '@lockstep/kube/object'
import type { FluxManifest } from '../flux/fluxmanifest.ts'

interface PostRenderPatch {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: JsonValue
}

/** What goes below `spec` of the HelmRelease. */
export function postRenderersOf(changes: readonly (readonly [FluxManifest, JsonObject])[]): JsonObject {
  const patches = changes.map(([m, after]) => ({
    target: targetOf(m),
    patch: encodeYaml(operations(m.value, after, [])),
  }))
  return { postRenderers: [{ kustomize: { patches } }] }
}

/** A selector of kustomize takes names as expressions: a dot is any character there. */
function targetOf(m: FluxManifest): JsonObject {
  const { group, version, kind, name, namespace } = m
  const place = namespace === '' ? {} : { namespace }
  return { group, version, kind, name: name.replaceAll('.', '\\.'), ...place }
}

function operations(before: JsonValue | undefined, after: JsonValue, path: YamlPath): PostRenderPatch[] {
  if (jsonEqual(before, after)) return []
  if (isObject(before) && isObject(after)) {
    const gone = Object.keys(before).filter((k) => after[k] === undefined)
    return [
      ...gone.map((k): PostRenderPatch => ({ op: 'remove', path: pointer([...path, k]) })),
      ...Object.entries(after).flatMap(([k, v]) =>
        v === undefined ? [] : operations(before[k], v, [...path, k]),
      ),
    ]
  }
  if (isArray(before) && isArray(after) && after.length >= before.length)
    return after.flatMap((v, i) => operations(before[i], v, [...path, i < before.length ? i : '-']))
  return [{ op: before === undefined ? 'add' : 'replace', path: pointer(path), value: after }]
}

const pointer = (path: YamlPath): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
