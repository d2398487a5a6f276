import { z } from 'zod'
import { blocker, conditions } from '../schemarules.ts'

/** In this order; the last five are ends. */
export const PROMOTION_PHASES = [
  'Pending',
  'Prepared',
  'Applying',
  'Open',
  'Converging',
  'Verifying',
  'Succeeded',
  'Rejected',
  'Superseded',
  'Failed',
  'Aborted',
] as const

export type PromotionPhase = (typeof PROMOTION_PHASES)[number]

const change = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  from: z.string().optional(),
  to: z.string(),
})

const intent = z.object({
  base: z.string().optional().describe('The commit of the base branch that it is made on.'),
  tree: z.string().optional(),
  commit: z.string().optional(),
  previous: z.string().optional().describe('The commit on the branch that it takes the place of.'),
  branch: z.string().optional(),
  found: z
    .boolean()
    .optional()
    .describe('Its commit was there already: another object of this very promotion has made it.'),
  inherits: z.string().optional().describe('The key of the promotion whose pull request it goes on with.'),
  adopts: z
    .int()
    .optional()
    .describe('The pull request that the pipeline-controller of weaveworks has opened for the same.'),
  title: z.string().optional(),
  files: z.int().optional().describe('So many files change.'),
  modules: z.array(change).max(1000).optional(),
  event: z.object({ id: z.string(), url: z.string().optional() }).optional(),
})

const pull = z.object({
  number: z.int(),
  url: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
})

const result = z.object({
  pullRequest: pull.optional(),
  commit: z.string().optional().describe('At the base, where it is known.'),
  at: z.string().meta({ format: 'date-time' }).optional(),
  alreadyAtRevision: z.boolean().optional().describe('It was there before: nothing had to be done.'),
  modules: z.int().optional().describe('So many are written.'),
  delivered: z.boolean().optional().describe('The receiver has taken the notification.'),
  told: z.boolean().optional().describe('Whoever opened its pull request again was told that it has ended.'),
  transferredTo: z.string().optional().describe('The promotion that goes on with its pull request.'),
})

const checkStatus = z.object({
  name: z.string(),
  state: z.enum(['Running', 'Passed', 'Failed']),
  message: z.string().max(1024).optional(),
})

export const promotionStatus = z.object({
  observedGeneration: z.int().optional(),
  phase: z.enum(PROMOTION_PHASES).optional(),
  since: z.string().meta({ format: 'date-time' }).optional().describe('When this phase began.'),
  endedIn: z.enum(PROMOTION_PHASES).optional().describe('The phase in which it ended.'),
  reason: z.string().optional().describe('Why it ended.'),
  message: z.string().max(4096).optional(),
  attempt: z.int().optional().describe('Failed attempts of this phase.'),
  nextAttempt: z.string().meta({ format: 'date-time' }).optional(),
  rebuilt: z.int().optional().describe('So often the same change was made on another base.'),
  clock: z
    .object({
      runningSince: z.string().meta({ format: 'date-time' }).optional(),
      elapsedMs: z.int().optional(),
    })
    .optional()
    .describe('Of the deadline of this phase: it stands still while targets cannot be read, or are held.'),
  wellSince: z
    .string()
    .meta({ format: 'date-time' })
    .optional()
    .describe('All targets and checks are well since then.'),
  intent: intent.optional().describe('What is about to be done: written before it.'),
  result: result.optional(),
  checks: z.array(checkStatus).max(16).optional(),
  sweepUntil: z
    .string()
    .meta({ format: 'date-time' })
    .optional()
    .describe('Until then pull requests that were opened twice are looked for, and closed.'),
  fence: z
    .object({ holder: z.string(), transitions: z.int() })
    .optional()
    .describe('Who acts: written before each effect.'),
  blockers: z.array(blocker).max(10).optional(),
  conditions: conditions.optional(),
})

export type PromotionStatus = z.output<typeof promotionStatus>
export type PromotionIntent = z.output<typeof intent>
export type PromotionResult = z.output<typeof result>
