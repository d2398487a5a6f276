import { z } from 'zod'
import { intOrPercent, labelSelector, rules } from '../schemarules.ts'

export const disruptionBudgetSpec = z
  .object({
    clusterSelector: labelSelector.describe('Clusters of this namespace by label; {} selects all of them.'),
    maxUnavailable: intOrPercent(
      'Most clusters that may be disrupted at once. Percentages round down, to at least 1. 0 is refused.',
      {
        rule: "!(string(self) in ['0', '0%'])",
        message: 'must be at least 1; to stop rollouts, create a Hold',
      },
    ).optional(),
    minAvailable: intOrPercent(
      'Clusters that must stay undisrupted. Percentages round up. 100% is refused.',
      {
        rule: "string(self) != '100%'",
        message: 'must be less than 100%; to stop rollouts, create a Hold',
      },
    ).optional(),
  })
  .meta(
    rules({
      rule: 'has(self.maxUnavailable) != has(self.minAvailable)',
      message: 'give exactly one of maxUnavailable and minAvailable',
    }),
  )

export type DisruptionBudgetSpec = z.output<typeof disruptionBudgetSpec>
