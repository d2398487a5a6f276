import { z } from 'zod'
import { conditions, dnsName } from '../schemarules.ts'

const time = z.string().meta({ format: 'date-time' })
const module = z.string().max(80).describe('Kind and name: Module/web.')

export const disruptionBudgetStatus = z.object({
  observedGeneration: z.int().optional(),
  clusters: z.int().optional().describe('How many clusters it counts.'),
  disrupted: z.int().optional().describe('How many of them are disrupted now, by whatever.'),
  allowed: z.int().optional().describe('How many may be.'),
  use: z.string().optional().describe('disrupted/allowed'),
  ledger: z
    .array(z.object({ module, cluster: dnsName, since: time }))
    .max(4000)
    .optional()
    .meta({ listType: 'map', mapKeys: ['module', 'cluster'] })
    .describe('What was started, and is not well yet. Changed by compare-and-swap before a module starts.'),
  waiters: z
    .array(z.object({ module, since: time }))
    .max(16)
    .optional()
    .meta({ listType: 'map', mapKeys: ['module'] })
    .describe(
      'Modules that found it full, the one that waits longest first: the next place is for that one.',
    ),
  conditions: conditions.optional(),
})

export type DisruptionBudgetStatus = z.output<typeof disruptionBudgetStatus>
