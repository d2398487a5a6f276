/**
 * Modules of Fleeet as ours. What ours cannot say is listed. Fields: `module/api/v1alpha1`, `pkg/api` of squaremo/fleeet; the
 * policy of rollouts is of its branch design-rollouts.
 */

import { isArray, isObject, isString, type JsonValue, type YamlPath } from '@lockstep/kube/object'
import type { GitSource } from '../../api/kinds/index.ts'
import { type FluxFile, type FluxManifest, positionOf, readManifests } from '../flux/fluxmanifest.ts'
import { unitText } from '../flux/fluxunit.ts'
import type { ListedField } from '../fluximport/fieldreader.ts'
import {
  type ImportedModule,
  type ImportedModules,
  importedModuleOf,
  refusedAs,
  sortedImport,
} from '../fluximport/importedmodule.ts'
import type { GitProblem } from '../fluximport/importflux.ts'
import { type ImportRefusal, isLabel, moduleName } from '../fluximport/importrefusal.ts'
import { type ImportSubject, ModuleDraft } from '../fluximport/moduledraft.ts'
import { type FleeetDraft, readFleeetBindings } from './fleeetbindings.ts'

export interface FleeetOptions {
  /** Of objects that name none. */
  readonly namespace?: string
  /** What nobody could fetch, and which of its fields says so. */
  gitProblem(git: GitSource): GitProblem | undefined
}

const GROUP = 'fleet.squaremo.dev'
const KINDS: ReadonlySet<string> = new Set(['Module', 'BootstrapModule'])
const MADE: ReadonlySet<string> = new Set(['RemoteAssemblage', 'ProxyAssemblage', 'Assemblage'])

export function importFleeet(files: readonly FluxFile[], o: FleeetOptions): ImportedModules {
  const { manifests, broken } = readManifests(files)
  const own = manifests.filter((m) => m.group === GROUP)
  const units = own.filter((m) => KINDS.has(m.kind) && m.version === 'v1alpha1')
  const listed: ListedField[] = []
  const modules: ImportedModule[] = []
  const taken = new Map<string, ImportSubject>()
  for (const m of units) {
    const unit: ImportSubject = {
      kind: m.kind,
      namespace: m.namespace || o.namespace || '',
      name: m.name,
      manifest: m,
    }
    const id = `${m.kind} ${unit.namespace} ${moduleName(m.name)}`
    const found = refusalOf(unit, taken.get(id)) ?? takeIn(unit, o)
    if ('draft' in found) {
      taken.set(id, unit)
      listed.push(...found.draft.reading.listed)
      modules.push(importedModuleOf(found.draft, m.kind, found.draft.reading.listed, found.texts))
    } else listed.push(...refusedAs(m, unitText(unit), found))
  }
  for (const m of own) if (!units.includes(m)) listed.push(...restOf(m))
  return { broken, units: units.length, ...sortedImport(modules, listed, files) }
}

function refusalOf(
  { name, namespace }: ImportSubject,
  same: ImportSubject | undefined,
): ImportRefusal | undefined {
  if (!isLabel(moduleName(name)) || (namespace !== '' && !isLabel(namespace)))
    return {
      why: `${namespace ? `${namespace}/` : ''}${name} is not a valid Module name`,
      todo: 'Give it lower-case letters, digits and dashes, at most 63.',
    }
  if (!same) return undefined
  const { file, line } = positionOf(same.manifest, ['metadata', 'name'])
  return {
    why: `${unitText(same)} in ${file}:${line} becomes the Module of this name`,
    todo: 'Import the folder of each hub by itself, with another --out.',
  }
}

interface FleeetImportUnit {
  readonly draft: FleeetDraft
  readonly texts: Readonly<Record<string, Readonly<Record<string, string>>>>
}

function takeIn(unit: ImportSubject, { gitProblem }: FleeetOptions): FleeetImportUnit | ImportRefusal {
  const draft: FleeetDraft = new ModuleDraft(unit)
  readSource(draft)
  // Manifests below a path without a kustomization file are what kustomize makes of them: so Flux does it.
  draft.imply(['render', 'kustomize'], {})
  // Fleeet never prunes, and leaves what is there when a module goes.
  draft.imply(['apply'], { prune: false, deletionPolicy: 'Orphan' })
  readSelector(draft)
  readFleeetBindings(draft)
  readRollout(draft)
  const texts = { labels: textsOf(draft, 'labels'), annotations: textsOf(draft, 'annotations') }
  draft.refuseInvalid()
  draft.reading.close('Fleeet')
  const git = draft.git()
  const problem = git
    ? gitProblem(git)
    : { field: 'source', problem: 'it has no repository with a tag or a revision' }
  if (!problem) return { draft, texts }
  return { why: `spec.sync.source.git: ${problem.field}: ${problem.problem}`, todo: 'Correct it there.' }
}

const GIT = ['spec', 'sync', 'source', 'git']
const PACKAGE = ['spec', 'sync', 'package', 'kustomize']

function readSource(draft: FleeetDraft): void {
  take(draft, [...GIT, 'url'], ['source', 'git', 'url'])
  take(draft, [...GIT, 'version', 'tag'], ['source', 'git', 'ref', 'tag'])
  take(draft, [...GIT, 'version', 'revision'], ['source', 'git', 'ref', 'commit'])
  const path = draft.reading.value([...PACKAGE, 'path'])
  const folder = isString(path) ? path.replace(/^\.\/+/, '').replace(/\/+$/, '') || '.' : '.'
  if (path === undefined) draft.imply(['source', 'git', 'path'], '.')
  else draft.set(['source', 'git', 'path'], folder, [...PACKAGE, 'path'])
}

/** A text is taken as it is. */
function take(draft: FleeetDraft, from: YamlPath, to: YamlPath): void {
  const value = draft.reading.value(from)
  if (isString(value) && value !== '') draft.set(to, value, from)
}

/** Absent or null: no cluster; empty: all of the namespace. Ours means the same. */
function readSelector(draft: FleeetDraft): void {
  const path = ['spec', 'selector']
  const selector = draft.reading.value(path)
  if (isObject(selector)) draft.set(['targets', 'clusterSelector'], selector, path)
  else if (selector === undefined || selector === null) draft.reading.settle(path)
}

const STRATEGIES: readonly JsonValue[] = ['Replace', 'Incremental']

function readRollout(draft: FleeetDraft): void {
  const { reading } = draft
  for (const path of [
    ['spec', 'strategy'],
    ['spec', 'rollout', 'strategy'],
  ]) {
    const strategy = reading.value(path)
    if (strategy !== undefined && STRATEGIES.includes(strategy))
      draft.set(['rollout', 'strategy'], strategy, path)
  }
  const most = ['spec', 'rollout', 'maxUnreadyClusters']
  const value = reading.value(most)
  if (value !== undefined) draft.set(['rollout', 'maxUnavailable'], value, most)
}

/** They are kept. */
function textsOf(
  { reading }: FleeetDraft,
  field: 'labels' | 'annotations',
): Readonly<Record<string, string>> {
  const all = reading.value(['metadata', field])
  const kept = Object.entries(isObject(all) ? all : {}).filter(
    (e): e is [string, string] =>
      isString(e[1]) && e[0] !== 'kubectl.kubernetes.io/last-applied-configuration',
  )
  for (const [key] of kept) reading.settle(['metadata', field, key])
  return Object.fromEntries(kept)
}

/** Other objects of Fleeet. */
function restOf(m: FluxManifest): readonly ListedField[] {
  const of = unitText(m)
  if (KINDS.has(m.kind) || !MADE.has(m.kind)) {
    const version = `${m.group}/${m.version} ${m.kind}`
    return refusedAs(m, of, { why: `${version} is not known here`, todo: 'Write it as v1alpha1.' })
  }
  const owners = Object(m.value.metadata).ownerReferences as JsonValue | undefined
  const isMade = isArray(owners) && owners.some((x) => isObject(x) && KINDS.has(String(x.kind)))
  if (isMade)
    return refusedAs(
      m,
      of,
      { why: 'it was created from Modules, and is created again from them', todo: 'Nothing.' },
      false,
    )
  return refusedAs(m, of, {
    why: 'an assemblage is not a Module; its controller continues to manage it',
    todo: 'Write a Module of each of its syncs.',
  })
}
