import { z } from 'zod'
import { dnsName, rules } from '../schemarules.ts'

export const approvalSpec = z
  .object({
    targetRef: z
      .object({
        kind: z.enum(['Module', 'BootstrapModule', 'Pipeline']).describe('Kind of the object.'),
        name: dnsName.describe('Name of the object.'),
      })
      .describe('Module or Pipeline that the Approval applies to, in this namespace.'),
    stage: z.string().min(1).max(127).describe('Stage of the rollout, or environment of the Pipeline.'),
    point: z
      .enum(['After', 'Before'])
      .default('After')
      .describe('Point of the approval. `Before`: the stage may begin. `After`: the next stage may begin.'),
    revisionHash: z
      .string()
      .min(10)
      .max(80)
      .describe('Approved revision, or key of the approved promotion: in full, or its first ten digits.'),
    approvedBy: z.string().min(1).max(256).describe('User who created the Approval.'),
  })
  .meta(
    rules({ rule: 'self == oldSelf', message: 'is immutable; delete the Approval and create another one' }),
  )

export type ApprovalSpec = z.output<typeof approvalSpec>
