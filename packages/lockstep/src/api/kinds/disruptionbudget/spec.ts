import { z } from 'zod'
import { intOrPercent, labelSelector, rules } from '../schemarules.ts'

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

export type DisruptionBudgetSpec = z.output<typeof disruptionBudgetSpec>
