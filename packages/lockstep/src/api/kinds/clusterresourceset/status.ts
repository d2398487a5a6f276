import { z } from 'zod'
import type { Condition } from '../../conditions.ts'
import { condition, conditions } from '../schemarules.ts'

/** v1beta1 keeps its own conditions at the top and the newer ones below, v1beta2 the other way round. */
export interface ResourceSetStatus {
  readonly observedGeneration?: number
  readonly conditions?: readonly (Condition | V1Beta1Condition)[]
  readonly deprecated?: { readonly v1beta1?: { readonly conditions?: readonly V1Beta1Condition[] } }
  readonly v1beta2?: { readonly conditions?: readonly Condition[] }
}

/** A condition of Cluster API v1beta1: reason and severity only where it is not True. */
export interface V1Beta1Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly severity?: 'Error' | 'Warning' | 'Info' | ''
  readonly lastTransitionTime: string
  readonly reason?: string
  readonly message?: string
}

const legacyCondition = condition.omit({ observedGeneration: true, reason: true, message: true }).extend({
  severity: z.string().max(32).optional().describe('Severity of the condition.'),
  reason: z.string().max(256).optional().describe('Reason for the last change, in one word.'),
  message: z.string().max(10_240).optional().describe('Explanation for users.'),
})

export const resourceSetStatus = z.object({
  conditions: conditions.optional(),
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  deprecated: z
    .object({
      v1beta1: z
        .object({ conditions: z.array(legacyCondition).optional().describe('Conditions of v1beta1.') })
        .optional()
        .describe('Fields of v1beta1.'),
    })
    .optional()
    .describe('Fields of earlier API versions.'),
})
