import { z } from 'zod'
import { dnsName, labelSelector, requirement, requirementRule, rules } from '../schemarules.ts'

export const targetsSpec = z
  .object({
    clusterSelector: labelSelector
      .optional()
      .describe('Clusters by label. Absent: none by label; {}: every cluster of the namespace.'),
    clusters: z.array(dnsName).max(1000).optional().describe('Clusters by name, in addition.'),
    exclude: labelSelector.optional().describe('Subtracted from both.'),
    inventories: z
      .array(z.enum(['ClusterAPI', 'ClusterProfile', 'ArgoCD', 'Secret']))
      .min(1)
      .max(4)
      .optional()
      .meta({ listType: 'set' })
      .describe('Only clusters that these know; absent: all that are installed.'),
    properties: z
      .array(z.object({ name: z.string().min(1).max(253), ...requirement }).meta(rules(requirementRule)))
      .min(1)
      .max(64)
      .optional()
      .describe('Only clusters whose ClusterProfile has all of these in status.properties.'),
    hub: z.boolean().optional().describe('The hub itself; excludes the other fields.'),
  })
  .meta(
    rules({
      rule: '!has(self.hub) || !self.hub || !(has(self.clusterSelector) || has(self.clusters) || has(self.exclude) || has(self.inventories) || has(self.properties))',
      message: 'excludes clusterSelector, clusters, exclude, inventories and properties',
      fieldPath: '.hub',
    }),
  )
  .describe('The clusters that get this module.')
