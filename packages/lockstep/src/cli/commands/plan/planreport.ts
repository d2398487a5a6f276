/** What modules in files would do to a cluster, as a report. */
import { z } from 'zod'
import { reportedChange } from '../../kit/diff/index.ts'
import { defineReport } from '../../kit/output/index.ts'

const modulePlan = z.strictObject({
  kind: z.string(),
  module: z.string(),
  namespace: z.string(),
  cluster: z.string(),
  sourceRevision: z.string(),
  release: z.string().optional(),
  changes: z.array(reportedChange).describe('Objects that change.'),
  order: z.array(z.string()).optional().describe('One line a step, in order; with --order.'),
})

export const planReport = defineReport('Plan', { modules: z.array(modulePlan) })

export type UnitPlan = z.input<typeof modulePlan>
