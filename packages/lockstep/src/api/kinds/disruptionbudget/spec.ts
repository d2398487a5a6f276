import { z } from 'zod'
import { conditions, dnsName, intOrPercent, labelSelector, rules } from '../schemarules.ts'

export const disruptionBudgetSpec = z
  .object({
    clusterSelector: labelSelector.describe('Clusters of this namespace by label; {}: all of them.'),
    maxUnavailable: intOrPercent(
      'So many of them may be disrupted at once. Percentages round down, to at least 1. 0 is refused.',
      {
        rule: "!(string(self) in ['0', '0%'])",
        message: '0 would never start anything; to stop rollouts, make a Hold',
      },
    ).optional(),
    minAvailable: intOrPercent(
      'So many of them are to stay undisrupted. Percentages round up. 100% is refused.',
      {
        rule: "string(self) != '100%'",
        message: '100% would never start anything; to stop rollouts, make a Hold',
      },
    ).optional(),
  })
  .meta(
    rules({
      rule: 'has(self.maxUnavailable) != has(self.minAvailable)',
      message: 'give exactly one of maxUnavailable and minAvailable',
    }),
  )

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

export type DisruptionBudgetSpec = z.output<typeof disruptionBudgetSpec>
export type DisruptionBudgetStatus = z.output<typeof disruptionBudgetStatus>
