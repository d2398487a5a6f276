/** Units of Flux as Modules. What a Module cannot say is listed: together, what is written and what is listed is all there was. */
import type { GitSource } from '../../../api/kinds/source.ts'
import { moduleKind } from '../../../api/registry.ts'
import { API_VERSION } from '../../../api/version.ts'
import { encodeYaml, type JsonObject, type JsonValue } from '../../../object/object.ts'
import { type Files, filesOf } from '../check/contentof.ts'
import type { FluxFile, Manifest } from '../manifest.ts'
import { type FluxSet, readFlux } from '../set.ts'
import { type Unit, unitText } from '../unit.ts'
import { Draft } from './draft.ts'
import { type Others, readEdges } from './edges.ts'
import { readFields } from './fields.ts'
import { readGit } from './git.ts'
import { readHealthChecks } from './health.ts'
import { KUSTOMIZATION } from './kustomization.ts'
import { readTargets, readTexts } from './metadata.ts'
import { fieldText, type Listed, Reading } from './reading.ts'
import { moduleName, type Refusal, refusalOf, restOf } from './units.ts'

export interface ImportOptions {
  /** Of objects that name none. */
  readonly namespace?: string
  /** Where a file is in its repository: that is what `spec.path` is about. Absent: as it is named. */
  pathOf?(file: string): string
  /** What nobody could fetch, and which of its fields says so. */
  gitProblem(git: GitSource): GitProblem | undefined
}

export interface GitProblem {
  readonly field: 'url' | 'ref' | 'path'
  readonly problem: string
}

export interface Imported {
  /** Name of its file. */
  readonly file: string
  readonly unit: Unit
  /** Of the Module. */
  readonly name: string
  readonly module: JsonObject
  /** Fields because of which it selects no cluster yet. */
  readonly held: readonly string[]
  /** What it is to select once somebody has looked at these; undefined where nobody knows. */
  readonly targets: JsonValue | undefined
}

export interface FluxImport {
  readonly set: FluxSet
  /** Sorted by their files. */
  readonly modules: readonly Imported[]
  /** In the order of the texts. */
  readonly listed: readonly Listed[]
}

/** What is taken in of one unit. */
interface Taken {
  readonly draft: Draft
  readonly source: Reading
}

export function importFlux(files: readonly FluxFile[], o: ImportOptions): FluxImport {
  const set = readFlux(files, o.namespace)
  const content = placed(filesOf(set), o)
  const taken = new Map<Unit, Taken>()
  const listed: Listed[] = []
  for (const unit of set.units) {
    const found = refusalOf(set, content, [...taken.keys()], unit) ?? takeIn(set, content, unit, o)
    if ('draft' in found) taken.set(unit, found)
    else listed.push(...refusedAs(unit.manifest, unitText(unit), found))
  }
  const others: Others = { set, moduleOf: moduleName, isImported: (u) => taken.has(u) }
  const modules = [...taken.values()].map(({ draft, source }) => {
    readEdges(draft, others)
    draft.refuseInvalid()
    const texts = { labels: readTexts(draft, 'labels'), annotations: readTexts(draft, 'annotations') }
    draft.reading.close()
    listed.push(...draft.reading.listed, ...source.listed)
    return moduleOf(draft, [...draft.reading.listed, ...source.listed], texts)
  })
  const read = new Set([...taken.values()].map((t) => t.source.manifest))
  for (const { m, isLost, ...refusal } of restOf(set, read))
    listed.push(...refusedAs(m, unitText(m), refusal, isLost))
  return { set, modules: modules.toSorted(byFile), listed: inOrder(listed, files) }
}

const placed = (files: Files, { pathOf = (file) => file }: ImportOptions): Files =>
  new Map([...files].map(([file, manifests]) => [pathOf(file), manifests]))

/** All but edges: those have to know which other units become Modules. */
function takeIn(set: FluxSet, files: Files, unit: Unit, o: ImportOptions): Taken | Refusal {
  const draft = new Draft(unit)
  const { reading } = draft
  for (const field of ['apiVersion', 'kind', 'name', 'namespace'])
    reading.settle(['spec', 'sourceRef', field])
  const source = readGit(draft, set.source(unit.manifest, unit.source!)!)
  // Manifests below a path without a kustomization file are what kustomize makes of them: so Flux does it.
  draft.imply(['render', 'kustomize'], {})
  draft.imply(['apply'], { prune: false, deletionPolicy: 'Orphan' })
  readTargets(draft)
  readFields(KUSTOMIZATION, draft, reading)
  readHealthChecks(draft, files)
  draft.refuseInvalid()
  const git = draft.git()
  const problem = git ? o.gitProblem(git) : { field: 'url', problem: 'it is no URL of a repository' }
  if (!problem) return { draft, source }
  const whose = problem.field === 'path' ? '' : ` of ${unitText(unit.source!)}`
  return { why: `spec.${problem.field}${whose}: ${problem.problem}`, todo: 'Correct it there.' }
}

function moduleOf(
  draft: Draft,
  listed: readonly Listed[],
  texts: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Imported {
  const { unit } = draft
  const name = moduleName(unit.name)
  const own = unitText(unit)
  const held = listed
    .filter((l) => l.holds)
    .map((l) => (l.of === own ? fieldText(l.path) : `${fieldText(l.path)} of ${l.of}`))
  const given = Object.entries(texts).filter(([, t]) => Object.keys(t).length > 0)
  return {
    file: `${unit.namespace ? `${unit.namespace}.` : ''}${name}.yaml`,
    unit,
    name,
    held: [...new Set(held)],
    targets: draft.targets(),
    module: {
      apiVersion: API_VERSION,
      kind: moduleKind.kind,
      metadata: {
        name,
        ...(unit.namespace ? { namespace: unit.namespace } : {}),
        ...Object.fromEntries(given),
      },
      spec: draft.spec(held.length > 0),
    },
  }
}

/** Its file. Equal manifests give equal bytes. */
export function textOf({ unit, module, held, targets }: Imported): string {
  const add = `add spec.targets${targets === undefined ? '' : `: ${JSON.stringify(targets)}`}`
  const why =
    held.length > 0 ? `# It selects no cluster yet, because of ${held.join(', ')}. Then ${add}\n` : ''
  return `# ${unitText(unit)}\n${why}${encodeYaml(module)}`
}

function refusedAs(m: Manifest, of: string, { why, todo }: Refusal, isLost = true): readonly Listed[] {
  const reading = new Reading(m, of)
  if (isLost) reading.lose([], why, todo)
  else reading.note([], why, todo)
  return reading.listed
}

const byFile = (a: Imported, b: Imported): number => (a.file < b.file ? -1 : 1)

/** A source that several units read lists the same for each. */
function inOrder(listed: readonly Listed[], files: readonly FluxFile[]): Listed[] {
  const index = new Map(files.map((f, i) => [f.file, i]))
  const once = new Map<string, Listed>()
  for (const l of listed) {
    const { file, line, column } = l.place
    const key = JSON.stringify([file, line, column, l.level, l.of, l.path, l.why])
    if (!once.has(key)) once.set(key, l)
  }
  return [...once.values()].toSorted(
    (a, b) =>
      index.get(a.place.file)! - index.get(b.place.file)! ||
      a.place.line - b.place.line ||
      a.place.column - b.place.column,
  )
}
