/** What `lockstep check flux` found, for programs. */
import { z } from 'zod'
import type { FluxCheck, FluxFinding, RelatedPosition } from '../../../../tools/fluxcheck/index.ts'
import { defineReport } from '../../output/index.ts'
import type { PathContents } from './readpaths.ts'

const place = {
  file: z.string(),
  line: z.number().describe('Line, from 1.'),
  column: z.number().describe('Column, from 1.'),
}

const finding = z.strictObject({
  ...place,
  rule: z.string().describe('Rule, such as W4a; docs/reference/check-flux.md lists all.'),
  level: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  race: z.array(z.string()).readonly().describe('Steps of the race.'),
  fix: z.string(),
  related: z.array(z.strictObject({ ...place, message: z.string() })).readonly(),
})

export const fluxReport = defineReport('FluxCheck', {
  findings: z.array(finding).readonly(),
  ignored: z.array(z.strictObject({ ...finding.shape, reason: z.string() })).readonly(),
  notLookedAt: z
    .array(z.strictObject({ ...place, message: z.string() }))
    .readonly()
    .describe('Skipped files: templates of charts, and generators of units.'),
  unreadable: z.array(z.strictObject({ ...place, problem: z.string() })).readonly(),
  files: z.number(),
  units: z.number(),
  edges: z.number(),
})

/** Everything that there is to say. */
export interface FluxResult {
  readonly check: FluxCheck
  readonly read: PathContents
}

export const unreadableOf = ({ check, read }: FluxResult) => [
  ...read.unreadable.map((u) => ({ file: u.file, line: 1, column: 1, problem: u.problem })),
  ...check.set.broken,
]

export const skippedOf = ({ check, read }: FluxResult) => [
  ...check.notLookedAt.map(relatedFacts),
  ...read.charts.map((file) => ({
    file,
    line: 1,
    column: 1,
    message: 'templates of a chart: render them, and pipe them into lockstep check flux -',
  })),
]

export const edgesIn = ({ check }: FluxResult): number =>
  check.set.units.reduce((n, u) => n + u.edges.length, 0)

export const fluxReportOf = (r: FluxResult) =>
  fluxReport.fill({
    findings: r.check.findings.map(findingFacts),
    ignored: r.check.ignored.map((i) => ({ ...findingFacts(i.finding), reason: i.reason })),
    notLookedAt: skippedOf(r),
    unreadable: unreadableOf(r),
    files: r.read.files.length,
    units: r.check.set.units.length,
    edges: edgesIn(r),
  })

const relatedFacts = (r: RelatedPosition) => ({ ...r.place, message: r.message })

const findingFacts = ({ place: at, related, ...facts }: FluxFinding) => ({
  ...at,
  ...facts,
  related: related.map(relatedFacts),
})
