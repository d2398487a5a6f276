import { z } from 'zod'
import { conditions } from '../schemarules.ts'

export const approvalStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  revision: z.string().optional().describe('Approved revision in full.'),
  conditions: conditions.optional(),
})

export type ApprovalStatus = z.output<typeof approvalStatus>
