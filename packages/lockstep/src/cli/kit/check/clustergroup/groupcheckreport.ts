/** What `lockstep check clustergroup` found, for programs. */
import { z } from 'zod'
import type { FilePosition } from '../../../../decisions/clustergroup/index.ts'
import type { GroupFinding } from '../../../../tools/clustergroupcheck/index.ts'
import { defineReport } from '../../output/index.ts'

const place = {
  file: z.string(),
  line: z.number().describe('Line, from 1.'),
  column: z.number().describe('Column, from 1.'),
}

export const groupFinding = z.strictObject({
  ...place,
  rule: z.string().describe('Rule, such as G1; docs/reference/check-clustergroup.md lists all.'),
  level: z.enum(['error', 'warning']),
  path: z.string().describe('clusterGroup.subscriptions.odf.sequenceJob.'),
  message: z.string(),
  fix: z.string(),
})

export const groupCheckReport = defineReport('ClusterGroupCheck', {
  findings: z.array(groupFinding).readonly(),
  unreadable: z.array(z.strictObject({ ...place, problem: z.string() })).readonly(),
  files: z.number(),
})

export interface UnreadableValues {
  readonly place: FilePosition
  /** With the file. */
  readonly problem: string
}

/** Everything that there is to say. */
export interface GroupCheckResult {
  readonly findings: readonly GroupFinding[]
  readonly unreadable: readonly UnreadableValues[]
  /** How many were read. */
  readonly files: number
}

export const groupCheckReportOf = ({ findings, unreadable, files }: GroupCheckResult) =>
  groupCheckReport.fill({
    findings: findings.map(groupFindingFacts),
    unreadable: unreadable.map(({ place: at, problem }) => ({ ...at, problem })),
    files,
  })

export const groupFindingFacts = ({ place: at, ...facts }: GroupFinding) => ({ ...at, ...facts })
