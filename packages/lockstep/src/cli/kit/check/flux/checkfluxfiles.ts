/** `lockstep check flux`: races of Flux in manifests, found without a cluster. */
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  lockstepVersion,
  textFlag,
} from '../../index.ts'
import { printData } from '../../output/index.ts'
import { countsAs } from '../failon.ts'
import { drawFlux } from './drawflux.ts'
import { type FluxResult, fluxReportOf, unreadableOf } from './fluxreport.ts'
import { fluxSarif } from './fluxsarif.ts'
import { readBefore } from './readbefore.ts'
import { readPaths } from './readpaths.ts'

export async function checkFluxFiles(
  c: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  if (paths.length === 0)
    return failed('E_USAGE', {
      problem: 'check flux takes files or folders',
      suggestion: 'for example: lockstep check flux clusters/prod',
    })
  const named = textFlag(flags, 'before')
  const before = named === undefined ? undefined : await readBefore(c, named, paths)
  if (before && !before.ok) return before
  const read = await readPaths(c, paths)
  // The expressions need the whole of CEL: other commands start without it.
  const { checkFlux } = await import('../../../../tools/fluxcheck/index.ts')
  const check = checkFlux(read.files, {
    additiveGate: isSet(flags, 'additiveGate'),
    ...(c.globals.namespace === undefined ? {} : { namespace: c.globals.namespace }),
    ...(before ? { before: before.value } : {}),
  })
  const result = { check, read }
  const printed = await print(c, result, isSet(flags, 'explain'))
  return printed.ok ? { ok: true, value: exitOf(result, textFlag(flags, 'failOn')) } : printed
}

/** What cannot be read may hide anything: that is worse than what was found. */
function exitOf(r: FluxResult, failOn: string | undefined): number {
  if (unreadableOf(r).length > 0) return 2
  const counts = countsAs(failOn)
  return r.check.findings.some((f) => counts(f.level)) ? 1 : 0
}

async function print(c: CommandContext, r: FluxResult, explain: boolean): Promise<CommandResult> {
  if (c.globals.output === 'sarif') {
    const version = await lockstepVersion(c)
    if (!version.ok) return version
    c.terminal.data(`${JSON.stringify(fluxSarif(r, version.value), undefined, 2)}\n`)
  } else {
    const places = r.check.findings.map((f) => `${f.rule} ${f.place.file}:${f.place.line}:${f.place.column}`)
    if (!printData(c, fluxReportOf(r), places)) drawFlux(c.terminal, r, explain)
  }
  return { ok: true, value: 0 }
}
