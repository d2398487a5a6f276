/** What is found of each unit, as a report. */
import { z } from 'zod'
import { type PreviewChange, parseUnitName } from '../../../deliver/plan/index.ts'
import { redactText } from '../../../deliver/state/index.ts'
import { defineReport } from '../output/index.ts'

export const reportedChange = z.strictObject({
  action: z.enum(['create', 'change', 'delete', 'refused', 'none']),
  group: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  diff: z.string().describe('Unified diff, without values of Secrets.'),
  message: z.string(),
  owner: z
    .strictObject({ from: z.string(), to: z.string() })
    .optional()
    .describe('Modules between which the object changes hands; its uid stays.'),
  takenBy: z.array(z.strictObject({ field: z.string(), manager: z.string() })),
})

const unit = z.strictObject({
  module: z.string(),
  namespace: z.string(),
  cluster: z.string(),
  revision: z.string().describe('Release of the unit; empty if not deployed.'),
  release: z.string().optional(),
  problem: z.string().optional().describe('Reason why the unit could not be compared.'),
  changes: z.array(reportedChange).describe('Objects that differ.'),
})

export const diffReport = defineReport('Diff', {
  differs: z.boolean(),
  units: z.array(unit),
})

export type UnitDiff = z.input<typeof unit>
export type ReportedChange = z.input<typeof reportedChange>

/** What differs, for programs. `hidden`: texts that come of Secrets. `isShown`: messages of the server may have them. */
export const changesOf = (
  changes: readonly PreviewChange[],
  hidden: readonly string[] = [],
  isShown = false,
): ReportedChange[] =>
  changes
    .filter((x) => x.action !== 'none' || x.message !== '')
    .map(({ ref, action, diff, message, lost, owner }) => ({
      action,
      group: ref.group,
      kind: ref.kind,
      ...(ref.namespace ? { namespace: ref.namespace } : {}),
      name: ref.name,
      diff: diff.map((line) => `${redactText(line, hidden)}\n`).join(''),
      message: isShown && action === 'refused' ? message : redactText(message, hidden),
      ...(owner ? { owner: { from: ownerText(owner.from), to: ownerText(owner.to) } } : {}),
      takenBy: lost.map((f) => ({ field: f.path, manager: f.manager ?? '' })),
    }))

/** `Module hello`; the label as it is where it cannot be read. */
function ownerText(label: string): string {
  const ref = parseUnitName(label)
  return ref ? `${ref.kind} ${ref.name}` : label
}

export const differs = (u: UnitDiff): boolean => u.changes.some((x) => x.action !== 'none')
