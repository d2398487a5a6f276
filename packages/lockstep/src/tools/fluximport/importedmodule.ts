/** What an import makes, of whichever tool: Modules in files, and everything that they do not say. */

import { encodeYaml, type JsonObject, type JsonValue, valuePathText } from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import type { BrokenDocument, FluxFile, FluxManifest } from '../flux/fluxmanifest.ts'
import { unitText } from '../flux/fluxunit.ts'
import { FieldReader, type ListedField } from './fieldreader.ts'
import { type ImportRefusal, moduleName } from './importrefusal.ts'
import type { ImportSubject, ModuleDraft } from './moduledraft.ts'

export interface ImportedModule {
  /** Name of its file. */
  readonly file: string
  readonly unit: ImportSubject
  /** Of the Module. */
  readonly name: string
  readonly module: JsonObject
  /** Fields because of which it selects no cluster yet. */
  readonly held: readonly string[]
  /** What it is to select once somebody has looked at these; undefined where nobody knows. */
  readonly targets: JsonValue | undefined
}

/** Everything that came of some texts. */
export interface ImportedModules {
  /** Documents that cannot be read. */
  readonly broken: readonly BrokenDocument[]
  /** What could have become a Module. */
  readonly units: number
  /** Sorted by their files. */
  readonly modules: readonly ImportedModule[]
  /** In the order of the texts. */
  readonly listed: readonly ListedField[]
}

export function importedModuleOf(
  draft: ModuleDraft<ImportSubject>,
  kind: string,
  listed: readonly ListedField[],
  texts: Readonly<Record<string, Readonly<Record<string, string>>>>,
): ImportedModule {
  const { unit } = draft
  const name = moduleName(unit.name)
  const own = unitText(unit)
  const held = listed
    .filter((l) => l.holds)
    .map((l) => (l.of === own ? valuePathText(l.path) : `${valuePathText(l.path)} of ${l.of}`))
  const given = Object.entries(texts).filter(([, t]) => Object.keys(t).length > 0)
  return {
    file: `${unit.namespace ? `${unit.namespace}.` : ''}${name}.yaml`,
    unit,
    name,
    held: [...new Set(held)],
    targets: draft.targets(),
    module: {
      apiVersion: API_VERSION,
      kind,
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
export function importedModuleText({ unit, module, held, targets }: ImportedModule): string {
  const add = `add spec.targets${targets === undefined ? '' : `: ${JSON.stringify(targets)}`}`
  const why =
    held.length > 0 ? `# It selects no cluster yet, because of ${held.join(', ')}. Then ${add}\n` : ''
  return `# ${unitText(unit)}\n${why}${encodeYaml(module)}`
}

export function refusedAs(
  m: FluxManifest,
  of: string,
  { why, todo }: ImportRefusal,
  isLost = true,
): readonly ListedField[] {
  const reading = new FieldReader(m, of)
  if (isLost) reading.lose([], why, todo)
  else reading.note([], why, todo)
  return reading.listed
}

export const sortedImport = (
  modules: readonly ImportedModule[],
  listed: readonly ListedField[],
  files: readonly FluxFile[],
): Pick<ImportedModules, 'modules' | 'listed'> => ({
  modules: modules.toSorted(byFile),
  listed: inOrder(listed, files),
})

const byFile = (a: ImportedModule, b: ImportedModule): number => (a.file < b.file ? -1 : 1)

/** A source that several units read lists the same for each. */
function inOrder(listed: readonly ListedField[], files: readonly FluxFile[]): ListedField[] {
  const index = new Map(files.map((f, i) => [f.file, i]))
  const once = new Map<string, ListedField>()
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
