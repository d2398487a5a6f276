/** What an import made, for programs. */

import { valuePathText } from '@lockstep/kube/object'
import { z } from 'zod'
import { unitText } from '../../../tools/flux/index.ts'
import type { ImportedModules, ListedField } from '../../../tools/fluximport/index.ts'
import type { PathContents } from '../../kit/check/index.ts'
import { defineReport } from '../../kit/output/index.ts'

const place = {
  file: z.string(),
  line: z.number().describe('Line, from 1.'),
  column: z.number().describe('Column, from 1.'),
}

const listed = z.strictObject({
  ...place,
  of: z.string().describe('Object, such as Kustomization apps/front.'),
  field: z.string().describe('Path of the field; empty for the whole object.'),
  why: z.string(),
  todo: z.string(),
  holds: z.boolean().describe('Whether the Module targets no cluster because of it.'),
})

const shape = {
  modules: z
    .array(
      z.strictObject({
        file: z.string().describe('Path below --out.'),
        of: z.string(),
        held: z
          .array(z.string())
          .readonly()
          .describe('Fields because of which the Module targets no cluster.'),
        targets: z.unknown().optional().describe('Clusters that it should target later.'),
        module: z.unknown(),
      }),
    )
    .readonly(),
  lost: z.array(listed).readonly(),
  notes: z.array(listed).readonly(),
  unreadable: z.array(z.strictObject({ ...place, problem: z.string() })).readonly(),
  notLookedAt: z.array(z.string()).readonly().describe('Skipped templates of charts.'),
  written: z.boolean(),
}

export const importReport = defineReport('FluxImport', shape)
/** The same, of Modules of Fleeet. */
export const fleeetReport = defineReport('FleeetImport', shape)

/** Everything that there is to say. */
export interface FileImportResult {
  readonly made: ImportedModules
  readonly read: PathContents
  /** Where the files are; undefined: none were written. */
  readonly written: string | undefined
}

export const lostIn = (made: ImportedModules): readonly ListedField[] =>
  made.listed.filter((l) => l.level === 'loss')

export const unreadableIn = (made: ImportedModules, read: PathContents) => [
  ...read.unreadable.map((u) => ({ file: u.file, line: 1, column: 1, problem: u.problem })),
  ...made.broken,
]

export const importReportOf = (
  report: typeof importReport | typeof fleeetReport,
  { made, read, written }: FileImportResult,
) =>
  report.fill({
    modules: made.modules.map(({ file, unit, held, targets, module }) => ({
      file,
      of: unitText(unit),
      held,
      ...(held.length > 0 && targets !== undefined ? { targets } : {}),
      module,
    })),
    lost: lostIn(made).map(facts),
    notes: made.listed.filter((l) => l.level === 'note').map(facts),
    unreadable: unreadableIn(made, read),
    notLookedAt: read.charts,
    written: written !== undefined,
  })

const facts = ({ place: at, of, path, why, todo, holds }: ListedField) => ({
  ...at,
  of,
  field: valuePathText(path),
  why,
  todo,
  holds,
})
