/** `lockstep import flux`: Modules of what Flux has, made without a cluster. */

import { moduleKind } from '../../../api/registry.ts'
import type { FluxImport } from '../../../core/flux/import/import.ts'
import { type Read, readPaths } from '../../check/flux/read.ts'
import { type Context, type Flags, isSet, textFlag } from '../../command.ts'
import { failed, type Outcome } from '../../failure.ts'
import { nameOf } from '../../kinds.ts'
import { printData } from '../../output/objects.ts'
import { type ImportResult, importReportOf, lostIn, unreadableIn } from './report.ts'
import { placeInRepository } from './repository.ts'
import { drawImport } from './view.ts'
import { writeAll } from './write.ts'

export async function importFluxFiles(c: Context, paths: readonly string[], flags: Flags): Promise<Outcome> {
  if (paths.length === 0)
    return failed('E_USAGE', {
      problem: 'import flux takes files or folders',
      suggestion: 'For example lockstep import flux clusters/prod --out modules.',
    })
  const read = await readPaths(c, paths)
  // It needs our kinds with their checks, and other commands start without.
  const { importFlux, textOf } = await import('../../../core/flux/import/import.ts')
  const { gitProblem } = await import('./gitproblem.ts')
  const { namespace } = c.globals
  const pathOf = await placeInRepository(c)
  const made = importFlux(read.files, {
    gitProblem,
    pathOf,
    ...(namespace === undefined ? {} : { namespace }),
  })
  const code = exitOf(made, read, isSet(flags, 'acceptLoss'))
  if (code === 0 && made.set.units.length === 0) return nothingIn(paths)
  const files = made.modules.map((m) => ({ name: m.file, text: textOf(m) }))
  const out = textFlag(flags, 'out')
  if (out !== undefined && code === 0) {
    const wrote = await writeAll(c, out, files, isSet(flags, 'force'))
    if (!wrote.ok) return wrote
  }
  const result: ImportResult = { made, read, written: code === 0 ? out : undefined }
  const names = made.modules.map((m) => nameOf(moduleKind, m.name))
  if (!printData(c, importReportOf(result), names)) draw(c, result, out, code, files)
  return { ok: true, value: code }
}

/** What cannot be read may hide anything: nothing is made then, whatever is accepted. */
function exitOf(made: FluxImport, read: Read, acceptsLoss: boolean): number {
  if (unreadableIn(made, read).length > 0) return 2
  return lostIn(made).length > 0 && !acceptsLoss ? 1 : 0
}

const nothingIn = (paths: readonly string[]): Outcome =>
  failed('E_USAGE', {
    problem: `no Kustomization and no HelmRelease in ${paths.join(', ')}`,
    suggestion: 'Name the folder that Flux reads for one cluster.',
  })

/** Without --out the Modules alone are on standard output. */
function draw(
  c: Context,
  r: ImportResult,
  out: string | undefined,
  code: number,
  files: readonly { readonly text: string }[],
): void {
  const { terminal: t } = c
  if (out === undefined && code === 0) t.data(files.map((f) => f.text).join('---\n'))
  drawImport(t, r, out === undefined ? (line) => t.talk(line) : (line) => t.print(line))
  if (code === 1)
    t.talk('Nothing was written. With --accept-loss the Modules are written without what is not imported.')
  if (code === 2) t.talk('Nothing was written: what cannot be read may belong to it.')
}
