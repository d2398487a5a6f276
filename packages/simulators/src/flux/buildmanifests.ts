/** The objects of a Kustomization: those of its folder, with its variables. Pure; kustomize itself is not run. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { encodeYaml, type KubeObject, parseYamlStream, YamlError } from '@lockstep/kube/object'
import type { ArtifactContent } from './artifacts.ts'
import type { KustomizationSpec } from './fluxkind.ts'

/** Fields whose effect would need kustomize, another cluster or another identity: refused, never ignored. */
const NOT_SIMULATED = [
  'buildMetadata',
  'components',
  'decryption',
  'ignore',
  'ignoreMissingComponents',
  'images',
  'kubeConfig',
  'patches',
  'serviceAccountName',
  'targetNamespace',
]

/** Why a spec cannot be played here. */
export function notSimulated(spec: KustomizationSpec): string | undefined {
  const fields = NOT_SIMULATED.filter((name) => Object.hasOwn(spec, name))
  return fields.length === 0 ? undefined : `not simulated: ${fields.map((f) => `spec.${f}`).join(', ')}`
}

/** Folder of a path: `./apps/` is `apps`. */
const folderOf = (path: string): string => path.replace(/^\.?\/+|^\.$/, '').replace(/\/+$/, '')

/** The objects at or below a path; undefined: there is no such folder. */
export function objectsAt(content: ArtifactContent, path: string): readonly KubeObject[] | undefined {
  const folder = folderOf(path)
  const found = Object.entries(content.objects ?? {}).filter(
    ([at]) => folder === '' || at === folder || at.startsWith(`${folder}/`),
  )
  if (found.length === 0 && folder !== '') return undefined
  return found.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, objects]) => objects)
}

/** Names are changed but where they are an API's own. */
const OWN_NAMES = new Set(['CustomResourceDefinition', 'APIService', 'Namespace'])

export interface Variables {
  readonly values: Readonly<Record<string, string>>
  /** A variable without value and default is an error. */
  readonly strict: boolean
}

/** Objects as they are applied: renamed, then with their variables. References by name are not followed. */
export function buildManifests(
  objects: readonly KubeObject[],
  spec: KustomizationSpec,
  variables: Variables,
): Result<readonly KubeObject[], string> {
  const out: KubeObject[] = []
  const always = spec.postBuild?.substituteStrategy === 'Always'
  const isOn = spec.postBuild !== undefined && (always || Object.keys(variables.values).length > 0)
  for (const o of objects) {
    const renamed = withName(o, spec)
    const done = isOn && !isDisabled(renamed) ? substituted(renamed, variables) : ok(renamed)
    if (!done.ok) return err(`post build failed for '${o.kind}/${o.metadata.name}': ${done.error}`)
    out.push(done.value)
  }
  return ok(out)
}

function withName(o: KubeObject, { namePrefix = '', nameSuffix = '' }: KustomizationSpec): KubeObject {
  if (OWN_NAMES.has(o.kind) || (namePrefix === '' && nameSuffix === '')) return o
  return { ...o, metadata: { ...o.metadata, name: `${namePrefix}${o.metadata.name}${nameSuffix}` } }
}

const DISABLE = 'kustomize.toolkit.fluxcd.io/substitute'
const isDisabled = ({ metadata: { labels, annotations } }: KubeObject): boolean =>
  labels?.[DISABLE] === 'disabled' || annotations?.[DISABLE] === 'disabled'

const VARIABLE = /\$(\$?)\{([_a-zA-Z][_a-zA-Z0-9]*)(?:(:?[-=])([^}]*))?\}/g

/** As Flux does it: in the text, so that `${n}` may become a number. */
function substituted(o: KubeObject, { values, strict }: Variables): Result<KubeObject, string> {
  const missing: string[] = []
  const text = encodeYaml(o).replace(VARIABLE, (whole, escaped: string, name: string, op = '', or = '') => {
    if (escaped === '$') return whole.slice(1)
    const value = values[name]
    if (value !== undefined && (value !== '' || !op.startsWith(':'))) return value
    if (op === '' && value === undefined && strict) missing.push(name)
    return or
  })
  if (missing.length > 0)
    return err(`variable substitution failed: variable not set (strict mode): "${missing[0]}"`)
  try {
    return ok(parseYamlStream(text)[0] as unknown as KubeObject)
  } catch (e) {
    if (!(e instanceof YamlError)) throw e
    return err(`YAMLToJSON: yaml: line ${e.line}: ${e.message}`)
  }
}
