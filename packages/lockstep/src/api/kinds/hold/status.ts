import { z } from 'zod'
import { conditions } from '../schemarules.ts'

export const holdStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  units: z.int().optional().describe('Number of clusters on which the Hold acts.'),
  clusters: z.array(z.string()).max(10).optional().describe('First ten of these clusters, by name.'),
  conditions: conditions.optional(),
})

export type HoldStatus = z.output<typeof holdStatus>
