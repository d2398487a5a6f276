/** What a kustomization file refers to: which directories it needs, and what of it is not run. Pure. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonValue,
  locateYaml,
  parseYamlStream,
  YamlError,
} from '@lockstep/kube/object'

/** Names that kustomize looks for. */
export const KUSTOMIZATION_FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

export const isKustomization = (path: string): boolean =>
  KUSTOMIZATION_FILES.includes(path.slice(path.lastIndexOf('/') + 1))

export interface KustomizeReferences {
  /** Relative paths of files and directories, as they are written. */
  readonly paths: readonly string[]
  readonly problems: readonly KustomizeProblem[]
}

export interface KustomizeProblem {
  /** Counted from 1. */
  readonly line: number
  readonly message: string
  /** A base that is not in the repository. */
  readonly base?: { readonly field: string; readonly url: string }
}

/** Fields whose entries are paths or, in kustomize, URLs. */
const PATH_LISTS = ['resources', 'bases', 'components', 'crds', 'configurations'] as const
/** Entries are files or whole patches in place. */
const PATCH_LISTS = ['patchesStrategicMerge'] as const
/** Objects with a path in them. */
const PATH_MEMBERS: readonly (readonly [string, string])[] = [
  ['patches', 'path'],
  ['patchesJson6902', 'path'],
  ['replacements', 'path'],
]
/** They start other programs or fetch from elsewhere. */
const PLUGINS: Readonly<Record<string, string>> = {
  helmCharts: 'Helm charts are rendered by render.helm, not by kustomize',
  helmChartInflationGenerator: 'Helm charts are rendered by render.helm, not by kustomize',
  helmGlobals: 'Helm charts are rendered by render.helm, not by kustomize',
  generators: 'generators can start programs, and are not run',
  transformers: 'transformers can start programs, and are not run',
  validators: 'validators can start programs, and are not run',
}

/** kustomize's own test for what it clones or downloads. */
const REMOTE =
  /^[a-z][a-z0-9+.-]*:\/\/|^git@|^(github\.com|gitlab\.com|bitbucket\.org)[:/]|\?ref=|\.git(\/|$)|\/\/.*\?/i

export function kustomizeReferencesOf(text: string): KustomizeReferences {
  let doc: JsonValue | undefined
  try {
    doc = parseYamlStream(text)[0]
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return { paths: [], problems: [{ line: e.line, message: e.message }] }
  }
  if (!isObject(doc)) return { paths: [], problems: [{ line: 1, message: 'not a kustomization' }] }
  const lineOf = (path: readonly (string | number)[]): number => locateYaml(text, 0, path)?.line ?? 1
  const problems: KustomizeProblem[] = Object.entries(PLUGINS)
    .filter(([field]) => (doc as Record<string, JsonValue>)[field] !== undefined)
    .map(([field, message]) => ({ line: lineOf([field]), message: `${field}: ${message}` }))
  const paths: string[] = []
  for (const { value, path } of entriesOf(doc)) {
    if (REMOTE.test(value))
      problems.push({
        line: lineOf(path),
        message: `${path.join('.')}: ${value}: remote base`,
        base: { field: path.join('.'), url: value },
      })
    else paths.push(value)
  }
  return { paths, problems }
}

interface ReferenceEntry {
  readonly value: string
  readonly path: readonly (string | number)[]
}

function* entriesOf(doc: JsonValue): Iterable<ReferenceEntry> {
  for (const field of PATH_LISTS)
    for (const [i, value] of listAt(doc, field).entries())
      if (isString(value)) yield { value, path: [field, i] }
  for (const field of PATCH_LISTS)
    for (const [i, value] of listAt(doc, field).entries())
      if (isString(value) && !value.includes('\n')) yield { value, path: [field, i] }
  for (const [field, member] of PATH_MEMBERS)
    for (const [i, item] of listAt(doc, field).entries()) {
      const value = at(item, member)
      if (isString(value)) yield { value, path: [field, i, member] }
    }
  yield* generated(doc)
  const openapi = at(doc, 'openapi', 'path')
  if (isString(openapi)) yield { value: openapi, path: ['openapi', 'path'] }
}

/** `files: [name=path]`, `envs: [path]` and `env: path` of generated ConfigMaps and Secrets. */
function* generated(doc: JsonValue): Iterable<ReferenceEntry> {
  for (const field of ['configMapGenerator', 'secretGenerator'])
    for (const [i, item] of listAt(doc, field).entries()) {
      for (const list of ['files', 'envs'])
        for (const [n, value] of listAt(item, list).entries())
          if (isString(value)) yield { value: value.slice(value.indexOf('=') + 1), path: [field, i, list, n] }
      const env = at(item, 'env')
      if (isString(env)) yield { value: env, path: [field, i, 'env'] }
    }
}

const listAt = (value: JsonValue, field: string): readonly JsonValue[] => {
  const found = at(value, field)
  return isArray(found) ? found : []
}
