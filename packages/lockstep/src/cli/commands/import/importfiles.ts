/** `lockstep import`: Modules of what another tool has, made without a cluster. */

import { parseApiVersion } from '@lockstep/kube/object'
import type { FluxFile } from '../../../tools/flux/index.ts'
import type { ImportedModules } from '../../../tools/fluximport/index.ts'
import { type PathContents, readPaths } from '../../kit/check/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { printData } from '../../kit/output/index.ts'
import { drawImport } from './drawimport.ts'
import {
  type FileImportResult,
  fleeetReport,
  importReport,
  importReportOf,
  lostIn,
  unreadableIn,
} from './importreport.ts'
import { writeNewFiles } from './newfiles.ts'
import { pathInRepository } from './repositoryroot.ts'

/** How the objects of one tool are read. */
interface ImportTool {
  readonly report: typeof importReport | typeof fleeetReport
  /** Where there is nothing of it. */
  readonly nothing: { readonly what: string; readonly suggestion: string }
  readonly example: string
  make(c: CommandContext, files: readonly FluxFile[]): Promise<ImportedModules>
}

const namespaceOf = ({ globals: { namespace } }: CommandContext) =>
  namespace === undefined ? {} : { namespace }

const flux: ImportTool = {
  report: importReport,
  nothing: {
    what: 'no Kustomization and no HelmRelease',
    suggestion: 'name the folder that Flux reads for one cluster',
  },
  example: 'lockstep import flux clusters/prod --out modules',
  async make(c, files) {
    // It needs our kinds with their checks, and other commands start without.
    const { importFlux } = await import('../../../tools/fluximport/index.ts')
    const { gitProblem } = await import('./gitproblem.ts')
    return importFlux(files, { gitProblem, pathOf: await pathInRepository(c), ...namespaceOf(c) })
  },
}

const fleeet: ImportTool = {
  report: fleeetReport,
  nothing: {
    what: 'no Module and no BootstrapModule of Fleeet',
    suggestion: 'name the folder that its hub reads',
  },
  example: 'lockstep import fleeet upstream --out modules',
  async make(c, files) {
    const { importFleeet } = await import('../../../tools/fleeet/index.ts')
    const { gitProblem } = await import('./gitproblem.ts')
    return importFleeet(files, { gitProblem, ...namespaceOf(c) })
  },
}

/** By the word that names them. */
const TOOLS: Readonly<Record<string, ImportTool>> = { flux, fleeet }

export async function importFiles(
  c: CommandContext,
  name: string,
  paths: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const tool = TOOLS[name]!
  if (paths.length === 0)
    return failed('E_USAGE', {
      problem: `import ${name} takes files or folders`,
      suggestion: `for example: ${tool.example}`,
    })
  const read = await readPaths(c, paths)
  const made = await tool.make(c, read.files)
  const { importedModuleText } = await import('../../../tools/fluximport/index.ts')
  const code = exitOf(made, read, isSet(flags, 'acceptLoss'))
  if (code === 0 && made.units === 0)
    return failed('E_USAGE', {
      problem: `${tool.nothing.what} in ${paths.join(', ')}`,
      suggestion: tool.nothing.suggestion,
    })
  const files = made.modules.map((m) => ({ name: m.file, text: importedModuleText(m) }))
  const out = textFlag(flags, 'out')
  if (out !== undefined && code === 0) {
    const wrote = await writeNewFiles(c, out, files, isSet(flags, 'force'))
    if (!wrote.ok) return wrote
  }
  const result: FileImportResult = { made, read, written: code === 0 ? out : undefined }
  if (!printData(c, importReportOf(tool.report, result), made.modules.map(targetOf)))
    draw(c, result, out, code, files)
  return { ok: true, value: code }
}

const targetOf = ({ module: { apiVersion, kind }, name }: ImportedModules['modules'][number]): string =>
  nameOf({ ...parseApiVersion(String(apiVersion)), kind: String(kind) }, name)

/** What cannot be read may hide anything: nothing is made then, whatever is accepted. */
function exitOf(made: ImportedModules, read: PathContents, acceptsLoss: boolean): number {
  if (unreadableIn(made, read).length > 0) return 2
  return lostIn(made).length > 0 && !acceptsLoss ? 1 : 0
}

/** Without --out the Modules alone are on standard output. */
function draw(
  c: CommandContext,
  r: FileImportResult,
  out: string | undefined,
  code: number,
  files: readonly { readonly text: string }[],
): void {
  const { terminal: t } = c
  if (out === undefined && code === 0) t.data(files.map((f) => f.text).join('---\n'))
  drawImport(t, r, out === undefined ? (line) => t.talk(line) : (line) => t.print(line))
  if (code === 1)
    t.talk(
      'Nothing was written. With --accept-loss the Modules are written without fields that cannot be imported.',
    )
  if (code === 2) t.talk('Nothing was written, because a file could not be read.')
}
