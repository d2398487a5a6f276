import { z } from 'zod'
import { conditions, dnsName } from '../schemarules.ts'

const time = z.string().meta({ format: 'date-time' })
const module = z.string().max(80).describe('Module as kind and name, such as Module/web.')

export const disruptionBudgetStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation that this status describes.'),
  clusters: z.int().optional().describe('Number of selected clusters.'),
  disrupted: z
    .int()
    .optional()
    .describe('Number of selected clusters that are disrupted now, for any reason.'),
  allowed: z.int().optional().describe('Number of selected clusters that may be disrupted.'),
  use: z.string().optional().describe('Disrupted and allowed clusters, as disrupted/allowed.'),
  ledger: z
    .array(
      z.object({
        module,
        cluster: dnsName.describe('Cluster of the deployment.'),
        since: time.describe('Time of the start.'),
      }),
    )
    .max(4000)
    .optional()
    .meta({ listType: 'map', mapKeys: ['module', 'cluster'] })
    .describe(
      'Deployments that were started and are not healthy yet. Changed by compare-and-swap before a Module starts a cluster.',
    ),
  waiters: z
    .array(z.object({ module, since: time.describe('Time since which the Module waits.') }))
    .max(16)
    .optional()
    .meta({ listType: 'map', mapKeys: ['module'] })
    .describe('Modules that wait for this budget, the longest wait first. The first Module starts next.'),
  conditions: conditions.optional(),
})

export type DisruptionBudgetStatus = z.output<typeof disruptionBudgetStatus>
