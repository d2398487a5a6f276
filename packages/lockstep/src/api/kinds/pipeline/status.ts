import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

export const targetStatus = z.object({
  namespace: z.string().describe('Namespace of the target.'),
  cluster: z.string().optional().describe('Cluster of the target; the hub if omitted.'),
  ready: z.boolean().describe('Whether the target is ready at its revision.'),
  revision: z.string().optional().describe('Revision of the target.'),
  behind: z
    .boolean()
    .optional()
    .describe('Whether the target is new, or was unreachable when the others reached the promoted revision.'),
  reason: z.string().optional().describe('Reason why the target is not ready, in one word.'),
  message: z.string().max(1024).optional().describe('Explanation for users.'),
})

export const environmentStatus = z.object({
  name: z.string().describe('Name of the environment.'),
  settled: z
    .object({
      revision: z.string().describe('Settled revision.'),
      release: z.string().optional().describe('Release of the revision.'),
      at: z.string().meta({ format: 'date-time' }).describe('Time at which it settled.'),
    })
    .optional()
    .describe('Last revision that was ready on all targets for the required time.'),
  candidate: z
    .object({
      revision: z.string().describe('Candidate revision.'),
      since: z.string().meta({ format: 'date-time' }).describe('Time since which it is ready.'),
    })
    .optional()
    .describe('Revision that is ready on all targets, but not for the required time.'),
  intent: z
    .object({
      epoch: z.int().describe('Number of the promotion.'),
      revision: z.string().describe('Revision to promote.'),
      release: z.string().optional().describe('Release of the revision.'),
      source: z
        .string()
        .optional()
        .describe('Revision that settled in the environment before; omitted for a requested promotion.'),
      requestID: z
        .string()
        .optional()
        .describe('ID of the last request; the same ID starts no second promotion.'),
      asked: z.boolean().optional().describe('Whether this promotion was requested with that ID.'),
      stated: z
        .boolean()
        .optional()
        .describe('Whether the request named the revision, so that other environments do not matter.'),
      rollbackOf: z.string().optional().describe('Promotion that failed and is rolled back.'),
    })
    .optional()
    .describe('Next promotion, written before its first effect.'),
  current: z.string().optional().describe('Revision of all targets.'),
  promoted: z.string().optional().describe('Last revision that was promoted successfully.'),
  promotion: z.string().optional().describe('Newest Promotion.'),
  arrived: z.string().optional().describe('Last Promotion whose revision all targets had after its end.'),
  left: z.string().optional().describe('Promotion whose revision was changed outside Lockstep.'),
  leftTo: z
    .array(z.string())
    .max(20)
    .optional()
    .describe('Revisions that replaced it, each reported once. If omitted beside `left`, all of them.'),
  reverted: z.string().optional().describe('Promotion that was reverted in Git, reported once.'),
  phase: z.string().optional().describe('Phase of the newest Promotion.'),
  ready: z.string().optional().describe('Ready targets of all, as ready/total.'),
  targets: z.array(targetStatus).max(1000).optional().describe('State of each target.'),
  blockers: z.array(blocker).max(10).optional().describe('Reasons why this environment waits.'),
})

export const pipelineStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  environments: z
    .array(environmentStatus)
    .optional()
    .meta({ listType: 'map', mapKeys: ['name'] })
    .describe('State of each environment.'),
  blockers: z.array(blocker).max(10).optional().describe('Reasons why the Pipeline waits.'),
  conditions: conditions.optional(),
})

export type PipelineStatus = z.output<typeof pipelineStatus>
export type EnvironmentStatus = z.output<typeof environmentStatus>
