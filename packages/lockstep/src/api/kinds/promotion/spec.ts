import { z } from 'zod'
import { dnsLabel, dnsName, rules } from '../schemarules.ts'
import { promotionSettings } from './promotionsettings.ts'

export const promotionSpec = z
  .object({
    pipelineRef: z
      .object({
        apiVersion: z.string().max(317).optional().describe('API version of the Pipeline.'),
        kind: z.string().max(63).describe('Kind of the Pipeline.'),
        name: dnsName.describe('Name of the Pipeline.'),
      })
      .describe('Pipeline of this Promotion.'),
    identity: dnsLabel.describe('Identity of the Pipeline.'),
    environment: z.string().min(1).max(55).describe('Environment into which the revision is promoted.'),
    epoch: z.int().min(1).describe('Number of the promotion in its environment.'),
    revision: z.string().min(1).max(1024).describe('Promoted revision.'),
    release: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe('Release of the Modules from which the revision is promoted.'),
    from: z.array(z.string()).max(16).optional().describe('Environments in which the revision settled.'),
    requestID: z.string().max(253).optional().describe('ID of the request.'),
    rollbackOf: z.string().max(253).optional().describe('Promotion that failed and is rolled back.'),
    settings: promotionSettings.describe('Settings that the Pipeline had when this Promotion was created.'),
  })
  .meta(rules({ rule: 'self == oldSelf', message: 'is immutable; a retry creates another Promotion' }))

export type PromotionSpec = z.output<typeof promotionSpec>
