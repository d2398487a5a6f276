import { z } from 'zod'
import { dnsLabel, dnsName, rules } from '../schemarules.ts'
import { promotionSettings } from './promotionsettings.ts'

export const promotionSpec = z
  .object({
    pipelineRef: z.object({
      apiVersion: z.string().max(317).optional(),
      kind: z.string().max(63),
      name: dnsName,
    }),
    identity: dnsLabel,
    environment: z.string().min(1).max(55),
    epoch: z.int().min(1),
    revision: z.string().min(1).max(1024),
    release: z.string().min(1).max(63).optional().describe('Of the Modules that it comes from.'),
    from: z.array(z.string()).max(16).optional().describe('Environments in which it was settled.'),
    requestID: z.string().max(253).optional(),
    rollbackOf: z.string().max(253).optional(),
    settings: promotionSettings.describe('How: as the pipeline had it then.'),
  })
  .meta(rules({ rule: 'self == oldSelf', message: 'is immutable: another try is another promotion' }))

export type PromotionSpec = z.output<typeof promotionSpec>
