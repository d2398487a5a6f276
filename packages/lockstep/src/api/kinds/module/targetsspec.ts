import { z } from 'zod'
import { dnsName, labelSelector, requirement, requirementRule, rules } from '../schemarules.ts'

export const targetsSpec = z
  .object({
    clusterSelector: labelSelector
      .optional()
      .describe('Clusters by label. If omitted, none by label; {} selects all clusters of the namespace.'),
    clusters: z.array(dnsName).max(1000).optional().describe('Additional clusters by name.'),
    exclude: labelSelector.optional().describe('Clusters to subtract from both.'),
    inventories: z
      .array(z.enum(['ClusterAPI', 'ClusterProfile', 'ArgoCD', 'Secret']))
      .min(1)
      .max(4)
      .optional()
      .meta({ listType: 'set' })
      .describe('Inventories whose clusters may match; all installed ones if omitted.'),
    properties: z
      .array(
        z
          .object({ name: z.string().min(1).max(253).describe('Name of the property.'), ...requirement })
          .meta(rules(requirementRule)),
      )
      .min(1)
      .max(64)
      .optional()
      .describe('Properties that status.properties of the ClusterProfile must have.'),
    allowEmpty: z
      .boolean()
      .optional()
      .describe(
        'Whether the Module may select no cluster: it is then ready with reason `NoClusters`. If omitted `false`, and `SelectsNothing` is reported.',
      ),
    hub: z.boolean().optional().describe('Whether the hub itself is the target; excludes the other fields.'),
  })
  .meta(
    rules({
      rule: '!has(self.hub) || !self.hub || !(has(self.clusterSelector) || has(self.clusters) || has(self.exclude) || has(self.inventories) || has(self.properties))',
      message: 'excludes clusterSelector, clusters, exclude, inventories and properties',
      fieldPath: '.hub',
    }),
  )
  .describe('Clusters to which this Module is deployed.')
