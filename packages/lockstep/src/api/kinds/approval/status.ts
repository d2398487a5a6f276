import { z } from 'zod'
import { conditions } from '../schemarules.ts'

export const approvalStatus = z.object({
  observedGeneration: z.int().optional(),
  revision: z.string().optional().describe('What it consents to, in full.'),
  conditions: conditions.optional(),
})

export type ApprovalStatus = z.output<typeof approvalStatus>
