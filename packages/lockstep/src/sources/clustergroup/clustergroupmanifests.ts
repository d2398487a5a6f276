/** What `render.clusterGroup` makes of values files: objects as manifests; what people should know of them goes to `warn`. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { isArray, isObject, type JsonObject, type JsonValue, setMember } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import type { ClusterGroupRender, GitSource } from '../../api/kinds/index.ts'
import {
  type ClusterGroupValuesFile,
  decodeValues,
  type Problem,
  renderClusterGroup,
} from '../../decisions/clustergroup/index.ts'
import { resolvePath } from '../git/lstree.ts'
import { type ManifestText, type SourceManifest, toManifests } from '../intake/renderplain.ts'
import { combined, fault, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceTree } from '../intake/sourcetree.ts'
import { atGroupCommit, type GroupCommit } from './groupcommit.ts'

const FIELD = 'spec.render.clusterGroup'
/** Problems of one rendering are listed up to this number, names of files, too. */
const MAX_LISTED = 20

export type Warn = (line: string) => void
/** Nobody listens. */
export const ignoreWarning: Warn = () => {}

type FoundValues = Result<ClusterGroupValuesFile, Problem> | undefined

/** Where values files are found; `git`: the repository, if it is one. */
interface ValuesFileFinder {
  readonly find: (name: string) => FoundValues
  readonly known: () => string[]
  readonly git: GitSource | undefined
}

interface GroupCheckout extends GroupCommit {
  readonly tree: SourceTree
  readonly root: string
}

/** Of the files of a commit, by their paths below `root`. */
export function clusterGroupManifests(
  render: ClusterGroupRender,
  { tree, root, git, picked }: GroupCheckout,
  warn: Warn,
): Result<SourceManifest[], SourceFailure> {
  const below = (path: string): string => (root === '' ? path : path.slice(root.length + 1))
  const find = (name: string): FoundValues => {
    const path = resolvePath(root, name)
    const file = tree.files.find((f) => f.path === path)
    const read = file && decodeValues(name, file.bytes)
    return read && ('stage' in read ? err(read) : ok(read))
  }
  const made = renderGroup(render, { find, known: () => tree.files.map((f) => below(f.path)), git }, warn)
  return made.ok ? ok(made.value.map((m) => (m.companion ? atGroupCommit(m, { git, picked }) : m))) : made
}

/** Of texts that have the names of their keys. */
export function clusterGroupManifestsOfTexts(
  render: ClusterGroupRender,
  texts: readonly ManifestText[],
  warn: Warn,
): Result<SourceManifest[], SourceFailure> {
  const keyOf = ({ origin }: ManifestText): string => origin.slice(origin.lastIndexOf(' ') + 1)
  const find = (name: string): FoundValues => {
    const [found, other] = texts.filter((t) => keyOf(t) === name)
    if (!found) return undefined
    return other ? err(twice(name, found, other)) : ok({ file: found.origin, text: found.text })
  }
  return renderGroup(render, { find, known: () => texts.map(keyOf), git: undefined }, warn)
}

const twice = (name: string, a: ManifestText, b: ManifestText): Problem => ({
  stage: 'read',
  at: [],
  text: `${name}: is in ${a.origin} and in ${b.origin}; rename one of them`,
})

function renderGroup(
  render: ClusterGroupRender,
  { find, known, git }: ValuesFileFinder,
  warn: Warn,
): Result<SourceManifest[], SourceFailure> {
  const { valuesFiles = [], values, applications, sequencing, extraObjectWaits } = render
  const files: ClusterGroupValuesFile[] = []
  for (const [i, name] of valuesFiles.entries()) {
    const found = find(name)
    if (!found) return err(missing(i, name, known()))
    if (!found.ok) return err(refused([found.error]))
    files.push(found.value)
  }
  const inline = isObject(values) ? { inline: { place: `${FIELD}.values`, values } } : {}
  const facts = { git, kubeVersion: render.kubeVersion, apiVersions: render.apiVersions }
  const made = renderClusterGroup({ files, applications, sequencing, extraObjectWaits, facts, ...inline })
  if (!made.ok) return err(refused(made.error))
  const manifests: SourceManifest[] = []
  for (const [i, o] of made.value.objects.entries()) {
    const found = toManifests(withoutNulls(o) as JsonValue, `${FIELD}: object ${i + 1}`)
    if (!found.ok) return found
    manifests.push(...found.value.map((m) => (isModule(m) ? { ...m, companion: true as const } : m)))
  }
  for (const line of made.value.warnings) warn(line)
  return ok(manifests)
}

/** Of an application: values have no other ones. */
const isModule = ({ object }: SourceManifest): boolean =>
  object.apiVersion === API_VERSION && object.kind === 'Module'

function missing(i: number, name: string, known: readonly string[]): SourceFailure {
  const shown = known.filter((f) => /values/i.test(f)).slice(0, MAX_LISTED)
  const values = shown.length > 0 ? shown : undefined
  const field = `${FIELD}.valuesFiles[${i}]`
  return fault('PathMissing', { field, because: 'ValuesFile', path: name, known: values })
}

function refused(problems: readonly Problem[]): SourceFailure {
  return combined(problems.map(({ text }) => fault('RenderFailed', { because: 'Values', error: text })))
}

/** To an API a null member says that nothing is there, as if it were left out. */
function withoutNulls(v: JsonValue | undefined): JsonValue | undefined {
  if (isArray(v)) return v.map((item) => withoutNulls(item) as JsonValue)
  if (!isObject(v)) return v
  const out: { [key: string]: JsonValue | undefined } = {}
  for (const [key, value] of Object.entries(v as JsonObject))
    if (value !== null) setMember(out, key, withoutNulls(value))
  return out
}
