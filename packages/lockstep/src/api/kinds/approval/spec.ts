import { z } from 'zod'
import { dnsName, rules } from '../schemarules.ts'

export const approvalSpec = z
  .object({
    targetRef: z
      .object({ kind: z.enum(['Module', 'BootstrapModule', 'Pipeline']), name: dnsName })
      .describe('Whose rollout, or whose promotions, in this namespace.'),
    stage: z.string().min(1).max(127).describe('Of its rollout; of a Pipeline an environment.'),
    point: z
      .enum(['After', 'Before'])
      .default('After')
      .describe('Before: the stage may begin. After: the next one may.'),
    revisionHash: z
      .string()
      .min(10)
      .max(80)
      .describe(
        'It counts for this revision alone, or for this key of a promotion: in full, or its first ten digits.',
      ),
    approvedBy: z.string().min(1).max(256).describe('Who says so: the user that creates it.'),
  })
  .meta(rules({ rule: 'self == oldSelf', message: 'is immutable: delete it, and make another' }))

export type ApprovalSpec = z.output<typeof approvalSpec>
