/** Units of Flux as Modules. What a Module cannot say is listed: together, what is written and what is listed is all there was. */
import type { GitSource } from '../../api/kinds/module/sourcespec.ts'
import { moduleKind } from '../../api/registry.ts'
import { type Files, filesOf } from '../flux/unitcontent.ts'
import type { FluxFile } from '../flux/fluxmanifest.ts'
import { type FluxSet, readFlux } from '../flux/fluxset.ts'
import { type Unit, unitText } from '../flux/fluxunit.ts'
import { Draft } from './moduledraft.ts'
import { type Others, readEdges } from './readedges.ts'
import { readFields } from './readfields.ts'
import { readGit } from './readgitsource.ts'
import { readHealthChecks } from './readhealthchecks.ts'
import { type Import, importedOf, refusedAs, sortedImport } from './importedmodule.ts'
import { KUSTOMIZATION } from './kustomizationfields.ts'
import { readTargets, readTexts } from './readmetadata.ts'
import type { Listed, Reading } from './fieldreader.ts'
import { moduleName, type Refusal, refusalOf, restOf } from './importrefusal.ts'

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

export interface FluxImport extends Import {
  readonly set: FluxSet
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
    return importedOf(draft, moduleKind.kind, [...draft.reading.listed, ...source.listed], texts)
  })
  const read = new Set([...taken.values()].map((t) => t.source.manifest))
  for (const { m, isLost, ...refusal } of restOf(set, read))
    listed.push(...refusedAs(m, unitText(m), refusal, isLost))
  const { broken, units } = set
  return { set, broken, units: units.length, ...sortedImport(modules, listed, files) }
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
