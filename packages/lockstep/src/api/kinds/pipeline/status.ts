import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

export const targetStatus = z.object({
  namespace: z.string(),
  cluster: z.string().optional(),
  ready: z.boolean(),
  revision: z.string().optional(),
  behind: z
    .boolean()
    .optional()
    .describe('It was out of reach when the others arrived at what was promoted last, or is new.'),
  reason: z.string().optional(),
  message: z.string().max(1024).optional(),
})

export const environmentStatus = z.object({
  name: z.string(),
  settled: z
    .object({
      revision: z.string(),
      release: z.string().optional(),
      at: z.string().meta({ format: 'date-time' }),
    })
    .optional()
    .describe('The last revision that was ready everywhere for long enough.'),
  candidate: z
    .object({ revision: z.string(), since: z.string().meta({ format: 'date-time' }) })
    .optional()
    .describe('What is ready everywhere, and not yet for long enough.'),
  intent: z
    .object({
      epoch: z.int(),
      revision: z.string(),
      release: z.string().optional(),
      source: z
        .string()
        .optional()
        .describe('What was settled where it comes from; absent: it was asked for.'),
      requestID: z.string().optional().describe('The last id that was asked with: it does not count again.'),
      asked: z.boolean().optional().describe('This very epoch was asked for, with that id.'),
      stated: z
        .boolean()
        .optional()
        .describe('Its revision was named: where others come from does not matter.'),
      rollbackOf: z.string().optional().describe('The promotion that failed.'),
    })
    .optional()
    .describe('What is to get there: written before anything is done.'),
  current: z.string().optional().describe('What all targets are at.'),
  promoted: z.string().optional().describe('The last revision that was promoted to its end.'),
  promotion: z.string().optional().describe('The newest Promotion: that of the intent, once it is made.'),
  arrived: z
    .string()
    .optional()
    .describe('The last Promotion at whose revision all targets were seen after it had ended.'),
  left: z.string().optional().describe('The Promotion whose revision somebody has led it away from.'),
  leftTo: z
    .array(z.string())
    .max(20)
    .optional()
    .describe('To which revisions: each is said once. Absent beside `left`: all of them.'),
  reverted: z
    .string()
    .optional()
    .describe('The Promotion that somebody has taken back at its base: said once.'),
  phase: z.string().optional().describe('Of the newest Promotion.'),
  ready: z.string().optional().describe('Targets that are ready, of all.'),
  targets: z.array(targetStatus).max(1000).optional(),
  blockers: z.array(blocker).max(10).optional(),
})

export const pipelineStatus = z.object({
  observedGeneration: z.int().optional(),
  environments: z
    .array(environmentStatus)
    .optional()
    .meta({ listType: 'map', mapKeys: ['name'] }),
  blockers: z.array(blocker).max(10).optional(),
  conditions: conditions.optional(),
})

export type PipelineStatus = z.output<typeof pipelineStatus>
export type EnvironmentStatus = z.output<typeof environmentStatus>
