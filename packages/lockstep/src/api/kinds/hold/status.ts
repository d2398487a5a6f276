import { z } from 'zod'
import { conditions } from '../schemarules.ts'

export const holdStatus = z.object({
  observedGeneration: z.int().optional(),
  units: z.int().optional().describe('So many clusters of the module it acts on.'),
  clusters: z.array(z.string()).max(10).optional().describe('The first ten of them, by name.'),
  conditions: conditions.optional(),
})

export type HoldStatus = z.output<typeof holdStatus>
