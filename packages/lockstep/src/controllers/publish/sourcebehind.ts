/** Changes of a source since its release was frozen. Pure. */
import { isString, type Stored } from '@lockstep/kube/object'
import { blocked } from '../../api/blocker.ts'
import type { GitSource, Module } from '../../api/kinds/index.ts'
import { namedInputs } from '../../sources/configmap/index.ts'
import { partsOf } from '../../sources/git/index.ts'
import type { ResolvedSource } from '../../sources/intake/index.ts'
import type { RevisionRecord } from '../cache/index.ts'
import { isBindingInput } from './sharedbindings.ts'

/** Digits of a commit that are shown, as Git does. */
const SHORT = 7
/** Names of inputs that are shown. */
const MAX_NAMES = 2

/** The message of the warning; undefined: the release has all that the source has. */
export function sourceBehind(
  { spec }: Stored<Module>,
  frozen: RevisionRecord,
  latest: ResolvedSource,
): string | undefined {
  const before = new Map(frozen.inputs.filter((i) => !isBindingInput(i)).map((i) => [i.path, i.digest]))
  const changed = latest.inputs.filter((i) => before.get(i.path) !== i.digest).map((i) => i.path)
  const removed = [...before.keys()].filter((path) => !latest.inputs.some((i) => i.path === path))
  if (changed.length + removed.length === 0) return undefined
  const { git, helm } = spec.source
  const [was, is] = [shownParts(frozen.sourceRevision), shownParts(latest.sourceRevision)]
  const release = spec.release ?? ''
  if (git && changed.includes('source.git')) {
    // Versions say more than commits.
    const part = git.ref.semver === undefined || is.label === was.label ? 'id' : 'label'
    return behind({ source: `${nameOf(git)} has moved to ${is[part]}`, release, pinned: was[part] })
  }
  if (helm && is.label !== was.label)
    return behind({ source: `chart ${helm.chart} has version ${is.label}`, release, pinned: was.label })
  return behind({ source: `${inputsText(spec)} changed`, release })
}

function shownParts(sourceRevision: string): { readonly label: string; readonly id: string } {
  const { label, id } = partsOf(sourceRevision)
  return { label, id: id.slice(0, SHORT) }
}

const behind = (facts: { source: string; release: string; pinned?: string }): string =>
  blocked('SourceBehind', [], facts).message

function nameOf({ ref }: GitSource): string {
  for (const kind of ['branch', 'tag'] as const) if (isString(ref[kind])) return `${kind} ${ref[kind]}`
  return ref.semver === undefined ? (ref.name ?? 'the reference') : `range ${ref.semver}`
}

function inputsText(spec: Module['spec']): string {
  const names = namedInputs(spec).map((i) => `${i.kind} ${i.name}`)
  const more = names.length > MAX_NAMES ? ` or ${names.length - MAX_NAMES} more inputs` : ''
  return names.length === 0 ? 'the source' : `${names.slice(0, MAX_NAMES).join(' or ')}${more}`
}
