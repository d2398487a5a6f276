/** `lockstep check clustergroup`: what goes wrong with values of a Validated Pattern under its chart, without a cluster. */

import type { Problem } from '../../../../decisions/clustergroup/index.ts'
import type { GroupFinding } from '../../../../tools/clustergroupcheck/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  listFlag,
  lockstepVersion,
  textFlag,
} from '../../index.ts'
import { printData } from '../../output/index.ts'
import { readValues } from '../../render/index.ts'
import { countsAs } from '../failon.ts'
import { drawGroupCheck } from './drawgroupcheck.ts'
import { type GroupCheckResult, groupCheckReportOf, type UnreadableValues } from './groupcheckreport.ts'
import { groupSarif } from './groupsarif.ts'

/** Paths come before those of -f, each from left to right. */
export async function checkGroupFiles(
  c: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const all = [...paths, ...listFlag(flags, 'filename')]
  if (all.length === 0)
    return failed('E_USAGE', {
      problem: 'check clustergroup takes values files',
      suggestion: 'for example: lockstep check clustergroup -f values-global.yaml -f values-hub.yaml',
    })
  const result = await resultOf(c, all)
  const printed = await print(c, result)
  if (!printed.ok) return printed
  if (result.unreadable.length > 0) return { ok: true, value: 2 }
  const counts = countsAs(textFlag(flags, 'failOn'))
  return { ok: true, value: result.findings.some((f) => counts(f.level)) ? 1 : 0 }
}

/** Nothing is found while a file cannot be read: it may say everything otherwise. */
async function resultOf(c: CommandContext, paths: readonly string[]): Promise<GroupCheckResult> {
  const { files, missing, broken } = await readValues(c, paths)
  const gone = missing.map(({ path, problem }) => ({
    place: { file: path, line: 1, column: 1 },
    problem: `${path}: ${problem}`,
  }))
  const unreadable = [...gone, ...broken.map(unreadableOf)]
  const none: readonly GroupFinding[] = []
  if (unreadable.length > 0) return { files: files.length, findings: none, unreadable }
  // Other commands start without the rules.
  const { checkClusterGroup } = await import('../../../../tools/clustergroupcheck/index.ts')
  const made = checkClusterGroup(files)
  return made.ok
    ? { files: files.length, findings: made.value, unreadable: [] }
    : { files: files.length, findings: none, unreadable: made.error.map(unreadableOf) }
}

const unreadableOf = ({ text, place }: Problem): UnreadableValues => ({
  place: place ?? { file: text, line: 1, column: 1 },
  problem: text,
})

async function print(c: CommandContext, r: GroupCheckResult): Promise<CommandResult> {
  if (c.globals.output === 'sarif') {
    const version = await lockstepVersion(c)
    if (!version.ok) return version
    c.terminal.data(`${JSON.stringify(groupSarif(r, version.value), undefined, 2)}\n`)
  } else {
    const places = r.findings.map((f) => `${f.rule} ${f.place.file}:${f.place.line}:${f.place.column}`)
    if (!printData(c, groupCheckReportOf(r), places)) drawGroupCheck(c.terminal, r)
  }
  return { ok: true, value: 0 }
}
