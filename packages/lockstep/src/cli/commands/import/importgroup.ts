/** `lockstep import clustergroup`: a Module for values files of a Validated Pattern, without a cluster. */
import { join } from 'node:path'
import { encodeYaml, type JsonValue } from '@lockstep/kube/object'
import { z } from 'zod'
import { moduleKind } from '../../../api/kinds/index.ts'
import type { GroupListed, ImportedGroup } from '../../../tools/clustergroupimport/index.ts'
import { groupFinding, groupFindingFacts } from '../../kit/check/index.ts'
import {
  type CommandContext,
  type CommandResult,
  type Flags,
  failed,
  isSet,
  nameOf,
  textFlag,
} from '../../kit/index.ts'
import { defineReport, printData } from '../../kit/output/index.ts'
import { readAllValues, refusedValues } from '../../kit/render/index.ts'
import { drawGroupImport } from './drawgroupimport.ts'
import { writeNewFiles } from './newfiles.ts'
import { valuesOriginOf } from './valuesorigin.ts'

const listed = z.strictObject({
  file: z.string(),
  line: z.number().describe('Line, from 1.'),
  column: z.number().describe('Column, from 1.'),
  path: z.string(),
  why: z.string(),
  todo: z.string(),
})

export const groupImportReport = defineReport('ClusterGroupImport', {
  module: z.unknown(),
  file: z.string().describe('Path below --out.'),
  objects: z.array(z.strictObject({ kind: z.string(), count: z.number() })).readonly(),
  waits: z
    .array(z.strictObject({ wave: z.string(), phase: z.string(), for: z.string(), asked: z.string() }))
    .readonly(),
  jobs: z
    .array(z.strictObject({ name: z.string(), wave: z.string(), why: z.string() }))
    .readonly()
    .describe('Jobs that are not converted to waits.'),
  traps: z.array(groupFinding).readonly(),
  lost: z.array(listed).readonly(),
  notes: z.array(listed).readonly(),
  written: z.boolean(),
})

export async function importGroup(
  c: CommandContext,
  paths: readonly string[],
  flags: Flags,
): Promise<CommandResult> {
  const EXAMPLE = 'for example: lockstep import clustergroup -f values-global.yaml -f values-hub.yaml'
  if (paths.length === 0)
    return failed('E_USAGE', { problem: 'import clustergroup takes values files', suggestion: EXAMPLE })
  if (paths.includes('-'))
    return failed('E_USAGE', {
      problem: 'standard input has no name for a Module',
      suggestion: EXAMPLE,
    })
  const read = await readAllValues(c, paths)
  if (!read.ok) return read
  // Other commands start without it.
  const { importClusterGroup } = await import('../../../tools/clustergroupimport/index.ts')
  const { namespace } = c.globals
  const source = { ...(await valuesOriginOf(c, paths)), ...(namespace === undefined ? {} : { namespace }) }
  const made = importClusterGroup(read.value, source)
  if (!made.ok) return refusedValues(made.error)
  const group = made.value
  const code = lostIn(group).length > 0 && !isSet(flags, 'acceptLoss') ? 1 : 0
  const file = {
    name: `${namespace === undefined ? '' : `${namespace}.`}${group.name}.yaml`,
    text: textOf(group, paths),
  }
  const out = textFlag(flags, 'out')
  if (out !== undefined && code === 0) {
    const wrote = await writeNewFiles(c, out, [file], isSet(flags, 'force'))
    if (!wrote.ok) return wrote
  }
  const written = out !== undefined && code === 0 ? join(out, file.name) : undefined
  const report = reportOf(group, file.name, written !== undefined)
  if (printData(c, report, [nameOf(moduleKind, group.name)])) return { ok: true, value: code }
  if (out === undefined && code === 0) c.terminal.data(file.text)
  drawGroupImport(c.terminal, group, { isPrinted: out === undefined, written, isRefused: code === 1 })
  return { ok: true, value: code }
}

const lostIn = ({ listed: all }: ImportedGroup): readonly GroupListed[] =>
  all.filter((l) => l.level === 'loss')

const textOf = ({ module }: ImportedGroup, paths: readonly string[]): string =>
  `# Cluster group of ${paths.join(', ')}\n# Targets no cluster yet: add spec.targets\n${encodeYaml(module as JsonValue)}`

function reportOf(group: ImportedGroup, file: string, written: boolean) {
  const { module, objects, waits, jobs, traps } = group
  const facts = ({ place, level: _, ...rest }: GroupListed) => ({ ...place, ...rest })
  return groupImportReport.fill({
    module,
    file,
    objects,
    waits,
    jobs,
    written,
    traps: traps.map(groupFindingFacts),
    lost: lostIn(group).map(facts),
    notes: group.listed.filter((l) => l.level === 'note').map(facts),
  })
}
