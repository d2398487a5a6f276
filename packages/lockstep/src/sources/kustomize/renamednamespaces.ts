/** Namespaces that the kustomization files of a repository rename by their field `namespace`. Pure. */
import {
  isArray,
  isObject,
  isString,
  type JsonValue,
  locateYaml,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'
import type { SourceTree } from '../intake/sourcetree.ts'
import { isKustomization } from './kustomizereferences.ts'

const FIELD = 'namespace'

/**
 * Warnings such as `W_NAMESPACE_RENAMED app/kustomization.yaml:3: namespace: team-b renames Namespace shop-cache`. `built`: YAML that
 * kustomize printed for the tree.
 */
export function renamedNamespaces({ files }: SourceTree, built: string): string[] {
  const texts = files.map(({ path, bytes }) => ({ path, text: new TextDecoder().decode(bytes) }))
  const settings = texts.flatMap(({ path, text }) => (isKustomization(path) ? settingsOf(path, text) : []))
  if (settings.length === 0) return []
  const after = new Set(documentsOf(built).flatMap(namespacesIn))
  const manifests = texts.filter(({ path }) => /\.ya?ml$/.test(path) && !isKustomization(path))
  const before = new Set(manifests.flatMap(({ text }) => documentsOf(text).flatMap(namespacesIn)))
  const lost = [...before].filter((name) => !after.has(name)).sort()
  return settings
    .filter(({ namespace }) => after.has(namespace) && !before.has(namespace))
    .flatMap(({ place, namespace }) =>
      lost.map((name) => `W_NAMESPACE_RENAMED ${place}: ${FIELD}: ${namespace} renames Namespace ${name}`),
    )
}

function settingsOf(path: string, text: string): { readonly place: string; readonly namespace: string }[] {
  const [file] = documentsOf(text)
  const namespace = isObject(file) ? file[FIELD] : undefined
  if (!isString(namespace)) return []
  return [{ place: `${path}:${locateYaml(text, 0, [FIELD])?.line ?? 1}`, namespace }]
}

/** Files that kustomize does not read may hold anything. */
function documentsOf(text: string): readonly JsonValue[] {
  try {
    return parseYamlStream(text)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return []
  }
}

function namespacesIn(document: JsonValue): string[] {
  if (!isObject(document)) return []
  if (isArray(document.items)) return document.items.flatMap(namespacesIn)
  const { apiVersion, kind, metadata } = document
  const name = isObject(metadata) ? metadata.name : undefined
  return apiVersion === 'v1' && kind === 'Namespace' && isString(name) ? [name] : []
}
