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
  namespace: z.string().describe('Namespace of the Module.'),
  name: z.string().describe('Name of the Module.'),
  uid: z.string().describe('UID of the Module.'),
  from: z.string().optional().describe('Version before the change.'),
  to: z.string().describe('Version after the change.'),
})

const intent = z.object({
  base: z.string().optional().describe('Commit of the base branch on which the change is made.'),
  tree: z.string().optional().describe('Git tree of the change.'),
  commit: z.string().optional().describe('Commit of the change.'),
  previous: z.string().optional().describe('Commit on the branch that this commit replaces.'),
  branch: z.string().optional().describe('Branch of the pull request.'),
  found: z
    .boolean()
    .optional()
    .describe('Whether the commit existed: another Promotion object with the same key had made it.'),
  inherits: z.string().optional().describe('Key of the promotion whose pull request is continued.'),
  adopts: z
    .int()
    .optional()
    .describe('Pull request that the pipeline-controller of Weaveworks opened for the same change.'),
  title: z.string().optional().describe('Title of the pull request.'),
  files: z.int().optional().describe('Number of changed files.'),
  modules: z.array(change).max(1000).optional().describe('Changed Modules.'),
  event: z
    .object({
      id: z.string().describe('ID of the event.'),
      url: z.string().optional().describe('URL to which the event is sent.'),
    })
    .optional()
    .describe('Sent event.'),
})

const pull = z.object({
  number: z.int().describe('Number of the pull request.'),
  url: z.string().describe('URL of the pull request.'),
  state: z.enum(['open', 'merged', 'closed']).describe('State of the pull request.'),
})

const result = z.object({
  pullRequest: pull.optional().describe('Pull request of the promotion.'),
  commit: z.string().optional().describe('Commit on the base branch, if known.'),
  at: z.string().meta({ format: 'date-time' }).optional().describe('Time of the merge, push or write.'),
  alreadyAtRevision: z
    .boolean()
    .optional()
    .describe('Whether the targets had the revision before, so that nothing was written.'),
  modules: z.int().optional().describe('Number of changed Modules.'),
  delivered: z.boolean().optional().describe('Whether the receiver accepted the notification.'),
  told: z
    .boolean()
    .optional()
    .describe('Whether a comment on a reopened pull request states that the promotion has ended.'),
  transferredTo: z.string().optional().describe('Promotion that continues the pull request.'),
})

const checkStatus = z.object({
  name: z.string().describe('Name of the check.'),
  state: z
    .enum(['Starting', 'Running', 'Passed', 'Failed'])
    .describe('State of the check; `Starting`: its Job is not created yet.'),
  message: z.string().max(1024).optional().describe('Explanation for users.'),
})

export const promotionStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  phase: z.enum(PROMOTION_PHASES).optional().describe('Phase of the promotion.'),
  since: z.string().meta({ format: 'date-time' }).optional().describe('Start of the phase.'),
  endedIn: z.enum(PROMOTION_PHASES).optional().describe('Phase in which the promotion ended.'),
  reason: z.string().optional().describe('Reason for the end, in one word.'),
  message: z.string().max(4096).optional().describe('Explanation for users.'),
  attempt: z.int().optional().describe('Failed attempts of this phase.'),
  nextAttempt: z.string().meta({ format: 'date-time' }).optional().describe('Time of the next attempt.'),
  rebuilt: z.int().optional().describe('Number of times the change was made again on a newer base.'),
  clock: z
    .object({
      runningSince: z
        .string()
        .meta({ format: 'date-time' })
        .optional()
        .describe('Time since which the timer runs.'),
      elapsedMs: z.int().optional().describe('Time that ran before.'),
    })
    .optional()
    .describe('Timer of this phase. It stops while targets are unreachable or paused.'),
  wellSince: z
    .string()
    .meta({ format: 'date-time' })
    .optional()
    .describe('Time since which all targets and checks are healthy.'),
  intent: intent.optional().describe('Next effect, written before it happens.'),
  result: result.optional().describe('Effects that happened.'),
  checks: z.array(checkStatus).max(16).optional().describe('State of each check.'),
  sweepUntil: z
    .string()
    .meta({ format: 'date-time' })
    .optional()
    .describe('Time until which duplicate pull requests are searched and closed.'),
  fence: z
    .object({
      holder: z.string().describe('Holder of the Lease.'),
      transitions: z.int().describe('Number of Lease transitions.'),
    })
    .optional()
    .describe('Leader that acts, written before each effect.'),
  blockers: z.array(blocker).max(10).optional().describe('Reasons why the promotion waits.'),
  conditions: conditions.optional(),
})

export type PromotionStatus = z.output<typeof promotionStatus>
export type PromotionIntent = z.output<typeof intent>
export type PromotionResult = z.output<typeof result>
