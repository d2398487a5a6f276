/** Units of Flux as Modules. What a Module cannot say is listed: together, what is written and what is listed is all there was. */
import { type GitSource, moduleKind } from '../../api/kinds/index.ts'
import type { FluxFile } from '../flux/fluxmanifest.ts'
import { type FluxSet, readFlux } from '../flux/fluxset.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { type FluxFiles, filesOf } from '../flux/unitcontent.ts'
import type { FieldReader, ListedField } from './fieldreader.ts'
import { type ImportedModules, importedModuleOf, refusedAs, sortedImport } from './importedmodule.ts'
import { type ImportRefusal, moduleName, refusalOf, restOf } from './importrefusal.ts'
import { KUSTOMIZATION_FIELDS } from './kustomizationfields.ts'
import { ModuleDraft } from './moduledraft.ts'
import { type ImportSet, readEdges } from './readedges.ts'
import { readFields } from './readfields.ts'
import { readGitSource } from './readgitsource.ts'
import { readHealthChecks } from './readhealthchecks.ts'
import { readMetadata, readTargets } from './readmetadata.ts'

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

export interface FluxImport extends ImportedModules {
  readonly set: FluxSet
}

/** What is taken in of one unit. */
interface ImportUnit {
  readonly draft: ModuleDraft
  readonly source: FieldReader
}

export function importFlux(files: readonly FluxFile[], o: ImportOptions): FluxImport {
  const set = readFlux(files, o.namespace)
  const content = placed(filesOf(set), o)
  const taken = new Map<FluxUnit, ImportUnit>()
  const listed: ListedField[] = []
  for (const unit of set.units) {
    const found = refusalOf(set, content, [...taken.keys()], unit) ?? takeIn(set, content, unit, o)
    if ('draft' in found) taken.set(unit, found)
    else listed.push(...refusedAs(unit.manifest, unitText(unit), found))
  }
  const others: ImportSet = { set, moduleOf: moduleName, isImported: (u) => taken.has(u) }
  const modules = [...taken.values()].map(({ draft, source }) => {
    readEdges(draft, others)
    draft.refuseInvalid()
    const texts = { labels: readMetadata(draft, 'labels'), annotations: readMetadata(draft, 'annotations') }
    draft.reading.close()
    listed.push(...draft.reading.listed, ...source.listed)
    return importedModuleOf(draft, moduleKind.kind, [...draft.reading.listed, ...source.listed], texts)
  })
  const read = new Set([...taken.values()].map((t) => t.source.manifest))
  for (const { m, isLost, ...refusal } of restOf(set, read))
    listed.push(...refusedAs(m, unitText(m), refusal, isLost))
  const { broken, units } = set
  return { set, broken, units: units.length, ...sortedImport(modules, listed, files) }
}

const placed = (files: FluxFiles, { pathOf = (file) => file }: ImportOptions): FluxFiles =>
  new Map([...files].map(([file, manifests]) => [pathOf(file), manifests]))

/** All but edges: those have to know which other units become Modules. */
function takeIn(
  set: FluxSet,
  files: FluxFiles,
  unit: FluxUnit,
  o: ImportOptions,
): ImportUnit | ImportRefusal {
  const draft = new ModuleDraft(unit)
  const { reading } = draft
  for (const field of ['apiVersion', 'kind', 'name', 'namespace'])
    reading.settle(['spec', 'sourceRef', field])
  const source = readGitSource(draft, set.source(unit.manifest, unit.source!)!)
  // Manifests below a path without a kustomization file are what kustomize makes of them: so Flux does it.
  draft.imply(['render', 'kustomize'], {})
  draft.imply(['apply'], { prune: false, deletionPolicy: 'Orphan' })
  readTargets(draft)
  readFields(KUSTOMIZATION_FIELDS, draft, reading)
  readHealthChecks(draft, files)
  draft.refuseInvalid()
  const git = draft.git()
  const problem = git ? o.gitProblem(git) : { field: 'url', problem: 'it is not a URL of a repository' }
  if (!problem) return { draft, source }
  const whose = problem.field === 'path' ? '' : ` of ${unitText(unit.source!)}`
  return { why: `spec.${problem.field}${whose}: ${problem.problem}`, todo: 'Correct it there.' }
}
