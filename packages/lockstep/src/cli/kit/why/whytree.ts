/** The report of `lockstep why`. */
import { z } from 'zod'
import type { Cause } from '../../../decisions/answer/index.ts'
import { defineReport } from '../output/index.ts'
import { warning } from '../snapshot/index.ts'

const cause = {
  label: z.string(),
  reason: z.string(),
  text: z.string(),
  since: z.string().optional(),
  until: z.string().optional().describe('Time at which the wait ends by itself, if it is known.'),
  rule: z.string().optional().describe('Health rule that gives the state of an object.'),
  advice: z.string().optional().describe('Advice.'),
  isRoot: z.boolean().optional(),
  isAbove: z.boolean().optional().describe('The causes are further up in the tree.'),
  module: z.string(),
  cluster: z.string().describe('Empty: the Module as a whole.'),
}

const whyCause: z.ZodType<Cause> = z.strictObject({
  ...cause,
  get children() {
    return z.array(whyCause).readonly()
  },
})

const whyTree = z.strictObject({
  namespace: z.string(),
  module: z.string(),
  cluster: z.string().describe('Empty: the Module as a whole, which selects no cluster.'),
  state: z.enum(['ready', 'waits', 'failed']),
  has: z.string().describe('Deployed release, or the first characters of the revision; empty if none.'),
  wants: z.string().describe('Target release or revision.'),
  since: z.string().optional(),
  causes: z.array(whyCause).readonly(),
  clustersBehind: z.int().describe('Other clusters on which the Module is not ready.'),
  modulesBehind: z.array(z.string()).readonly().describe('Modules that wait for the root cause.'),
  warnings: z.array(warning).readonly().describe('Warnings of the Module.'),
})

export type WhyTree = Readonly<z.output<typeof whyTree>>

export const whyReport = defineReport('Why', {
  ...whyTree.shape,
  rootCauses: z.array(z.strictObject(cause)).readonly().describe('Root causes, the oldest first.'),
})
